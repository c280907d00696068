import type { ReactElement } from 'react';
import { useEnrolment } from '../../data/agents.ts';
import { useMay } from '../../data/session.ts';
import { Card } from '../../components/card.tsx';
import { CopyBox } from '../../components/copy-box.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { Remark } from '../../components/remark.tsx';
import { formatCount } from '../../format/numbers.ts';
import styles from './enrol-panel.module.css';

/** How to add an agent: one command. Its token is for administrators only. */
export function EnrolPanel(): ReactElement {
  const may = useMay('admin');
  const enrolment = useEnrolment(may);
  return (
    <Card
      title="Enrol an agent"
      description="Run this on a machine that reaches source, target and console, and has Weir and Node 20.19 or newer. In a checkout of the sources, say npx weir instead of weir."
    >
      {may ? (
        <QueryState query={enrolment} placeholderHeight={48}>
          {({ command, consoleUrls = [] }) => (
            <div className={styles.panel}>
              <CopyBox text={command} label="Command that enrols an agent" />
              <Remark as="p">
                The token admits new agents only: each receives a credential of its own, which you can revoke here.
                Treat the command as a secret.
              </Remark>
              {consoleUrls.length > 1 && (
                <Remark as="p">
                  It names the {formatCount(consoleUrls.length)} consoles of this group: the agent goes on to the next
                  one when one does not answer.
                </Remark>
              )}
            </div>
          )}
        </QueryState>
      ) : (
        <Remark as="p">Administrators see the command with its token here. Ask one to enrol the agent.</Remark>
      )}
    </Card>
  );
}
