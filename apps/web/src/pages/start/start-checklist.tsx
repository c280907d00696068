import type { ReactElement } from 'react';
import { useAgentTotals } from '../../data/agents.ts';
import { useEndpoints } from '../../data/endpoints.ts';
import { useAnyJob } from '../../data/jobs.ts';
import { useMay } from '../../data/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { cx } from '../../components/class-names.ts';
import { Icon } from '../../components/icon.tsx';
import { startSteps, type StartStep } from './start-steps.ts';
import styles from './start-checklist.module.css';

const LINKS: Readonly<Record<StartStep['key'], { href: string; label: string; needs: 'admin' | 'operator' }>> = {
  agent: { href: '/agents', label: 'Enrol an agent', needs: 'admin' },
  endpoint: { href: '/settings/endpoints', label: 'Add an endpoint', needs: 'admin' },
  job: { href: '/jobs/new', label: 'New job', needs: 'operator' },
};

/** Leads a new console to its first job; gone once there is one. */
export function StartChecklist(): ReactElement | null {
  return useAnyJob().data === false ? <Checklist /> : null;
}

function Checklist(): ReactElement | null {
  const agents = useAgentTotals().data?.registeredAgents;
  const endpoints = useEndpoints().data;
  const may = { admin: useMay('admin'), operator: useMay('operator') };
  if (agents === undefined || endpoints === undefined) return null;
  const steps = startSteps({ agents, endpoints: endpoints.length, jobs: 0 });
  const next = steps.find((step) => !step.done);
  return (
    <Card title="Get to a running job" description="Three steps, a few minutes.">
      <ol className={styles.steps}>
        {steps.map((step, position) => {
          const link = LINKS[step.key];
          return (
            <li key={step.key} className={cx(styles.step, step.done && styles.done)}>
              <span className={styles.mark}>
                {step.done ? <Icon name="check" size={16} /> : <span aria-hidden="true">{position + 1}</span>}
              </span>
              <div className={styles.text}>
                <p className={styles.title}>
                  {step.title}
                  {step.done && <span className="visually-hidden"> (done)</span>}
                </p>
                <p>{step.text}</p>
                {!step.done &&
                  (may[link.needs] ? (
                    <div className={styles.action}>
                      <ButtonLink href={link.href} small variant={step === next ? 'primary' : 'secondary'}>
                        {link.label}
                      </ButtonLink>
                    </div>
                  ) : (
                    <p className={styles.ask}>
                      Ask an {link.needs === 'admin' ? 'administrator' : 'operator'} for this step.
                    </p>
                  ))}
              </div>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
