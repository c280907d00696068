import { useState, type FormEvent, type ReactElement } from 'react';
import type { QuotaView } from '@weir/protocol';
import { useTakeQuota } from '../../data/quotas.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { formatDuration } from '../../format/time.ts';
import { takeWords } from '../../words/quota-words.ts';
import { parseWhole } from '../settings/numbers-typed.ts';
import styles from './quotas.module.css';

/** One take, by hand. It counts like any other. */
export function TryQuota({ quota }: { quota: QuotaView }): ReactElement | null {
  const may = useMay('operator');
  const take = useTakeQuota(quota.definitionId);
  const [subject, setSubject] = useState('');
  const [costText, setCostText] = useState('1');
  const [errors, setErrors] = useState<{ subject?: string; cost?: string }>({});
  if (!may) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const cost = parseWhole(costText);
    const found = {
      ...(subject.trim() === '' ? { subject: 'Enter a subject, such as a tenant.' } : {}),
      ...(cost === null || cost < 1 ? { cost: 'At least 1.' } : {}),
    };
    setErrors(found);
    if (cost === null || Object.keys(found).length > 0 || take.isPending) return;
    take.mutate({ subject: subject.trim(), cost });
  };
  const result = take.data;
  return (
    <Card
      title="Take from it"
      description={`Counts like any other take. Programs do the same: POST /api/v1/quotas/${quota.definitionId}/take`}
    >
      <form className={styles.form} onSubmit={submit} noValidate>
        <div className={styles.inline}>
          <TextField
            label="Subject"
            value={subject}
            error={errors.subject}
            maxLength={1_024}
            placeholder={quota.subjects === 'address' ? '192.0.2.1' : 'tenant-7'}
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => setSubject(event.target.value)}
          />
          <TextField
            label="Cost"
            inputMode="numeric"
            value={costText}
            error={errors.cost}
            onChange={(event) => setCostText(event.target.value)}
          />
          <Button type="submit" busy={take.isPending}>
            Take
          </Button>
        </div>
        {take.isError && <ErrorNotice error={take.error} />}
        {result !== undefined && (
          <Notice tone={result.allowed ? 'green' : 'amber'} live title={takeWords(result)}>
            {result.allowed ? undefined : `Try again in ${formatDuration(result.retryAfterMs)}.`}
          </Notice>
        )}
      </form>
    </Card>
  );
}
