import { useId, useState, type ReactElement } from 'react';
import type { EndpointView } from '@weir/protocol';
import { useBuckets } from '../../data/endpoints.ts';
import { useMay } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import type { FieldErrors } from '../../words/field-errors.ts';
import { EndpointDialog } from '../endpoints/endpoint-dialog.tsx';
import type { LocationDraft } from './job-draft.ts';
import styles from './new-job-page.module.css';

const WORDS = {
  source: {
    title: 'Source',
    bucketHint: 'Its objects are only read.',
    prefixHint: 'Only keys that begin with it, such as 2024/. Empty: the whole bucket.',
  },
  target: {
    title: 'Target',
    bucketHint: 'It must exist. Objects with the same key are replaced, unless the mode skips them.',
    prefixHint: 'Takes the place of the source prefix; repeat that one here to keep it.',
  },
} as const;

interface LocationProps {
  side: 'source' | 'target';
  location: LocationDraft;
  endpoints: readonly EndpointView[];
  /** Buckets known of the chosen endpoint, as suggestions. */
  buckets: readonly string[];
  errors: FieldErrors;
  /** What the prefixes of both sides do to a key; shown at the target. */
  example?: { from: string; to: string } | undefined;
  onChange: (part: Partial<LocationDraft>) => void;
  onEndpoint: (endpoint: EndpointView, buckets: readonly string[] | null) => void;
}

/** Endpoint, bucket and prefix of one side of a job; an endpoint can be added on the way. */
export function LocationFields(props: LocationProps): ReactElement {
  const { side, location, errors, example, onChange } = props;
  const { title, prefixHint } = WORDS[side];
  return (
    <Card title={title}>
      <div className={styles.fields}>
        <EndpointField {...props} />
        <BucketField {...props} />
        <TextField
          label={`${title} prefix (optional)`}
          value={location.prefix}
          error={errors[`${side}.prefix`]}
          hint={example === undefined ? prefixHint : `${prefixHint} ${example.from} arrives as ${example.to}`}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ prefix: event.target.value })}
        />
      </div>
    </Card>
  );
}

function EndpointField({ side, location, endpoints, errors, onChange, onEndpoint }: LocationProps): ReactElement {
  const [adding, setAdding] = useState(false);
  const may = useMay('admin');
  return (
    <div className={styles.endpoint}>
      <SelectField
        label={`${WORDS[side].title} endpoint`}
        value={location.endpointId}
        error={errors[`${side}.endpointId`]}
        hint={endpoints.length === 0 && !may ? 'There is none yet; ask an administrator to add one.' : undefined}
        onChange={(event) => onChange({ endpointId: event.target.value })}
      >
        <option value="">{endpoints.length === 0 ? 'No endpoint yet' : 'Choose…'}</option>
        {endpoints.map((endpoint) => (
          <option key={endpoint.endpointId} value={endpoint.endpointId}>
            {endpoint.name} ({endpoint.url.replace(/^https?:\/\//, '')})
          </option>
        ))}
      </SelectField>
      {may && (
        <Button icon="plus" aria-label={`Add an endpoint for the ${side}`} onClick={() => setAdding(true)}>
          Add
        </Button>
      )}
      <EndpointDialog
        open={adding}
        onClose={() => setAdding(false)}
        onCreated={(endpoint, listed) => {
          setAdding(false);
          onEndpoint(endpoint, listed);
        }}
      />
    </div>
  );
}

function BucketField({ side, location, buckets, errors, onChange }: LocationProps): ReactElement {
  const listId = useId();
  const offered = [...new Set([...buckets, ...useBuckets(location.endpointId)])];
  return (
    <div>
      <TextField
        label={`${WORDS[side].title} bucket`}
        value={location.bucket}
        error={errors[`${side}.bucket`]}
        hint={WORDS[side].bucketHint}
        list={offered.length > 0 ? listId : undefined}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ bucket: event.target.value })}
      />
      <datalist id={listId}>
        {offered.map((bucket) => (
          <option key={bucket} value={bucket}>
            {bucket}
          </option>
        ))}
      </datalist>
    </div>
  );
}
