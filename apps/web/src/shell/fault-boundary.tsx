import { Component, type ReactElement, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { Notice } from '../components/notice.tsx';

interface Props {
  /** Address of what is shown: with another one, it is tried again. */
  place: string;
  children: ReactNode;
}

interface State {
  place: string;
  fault: Error | null;
}

/**
 * Says so where a page cannot be drawn, instead of nothing at all. That happens when the console was upgraded since the page was
 * opened, or is away just then: a page whose code was not read yet is asked for in vain.
 */
export class FaultBoundary extends Component<Props, State> {
  override state: State = { place: this.props.place, fault: null };

  static getDerivedStateFromError(error: unknown): Pick<State, 'fault'> {
    return { fault: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ place }: Props, shown: State): State | null {
    return place === shown.place ? null : { place, fault: null };
  }

  override render(): ReactNode {
    return this.state.fault === null ? this.props.children : <Fault fault={this.state.fault} />;
  }
}

function Fault({ fault }: { fault: Error }): ReactElement {
  return (
    <>
      <h1 className="visually-hidden">Page not shown</h1>
      <Notice
        tone="red"
        live
        title="This page cannot be shown."
        actions={
          <Button small icon="refresh" onClick={() => window.location.reload()}>
            Load it again
          </Button>
        }
      >
        The console may be away, or may have been upgraded since you opened its pages. Jobs and agents go on. What the
        browser says: {fault.message}
      </Notice>
    </>
  );
}
