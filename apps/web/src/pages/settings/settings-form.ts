import { useState } from 'react';
import {
  completeSettings,
  governorSettingsChanges,
  type FieldChange,
  type VersionedGovernorSettings,
} from '@weir/protocol';
import { useSaveGovernorSettings } from '../../data/settings.ts';
import { toastDone } from '../../components/toasts.tsx';
import { refusedFields, type FieldErrors } from '../../words/field-errors.ts';
import { checkDraft, draftOf, isSameDraft, type LimitDraft } from './limit-draft.ts';
import { isTyped, rebaseDraft } from './rebase-draft.ts';

/** The viewer's zone: what a first schedule will mostly mean. */
const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The form of the settings, and what its page can do with it. */
interface SettingsForm {
  draft: LimitDraft;
  errors: FieldErrors;
  /** Something was typed that is not saved. */
  dirty: boolean;
  save: ReturnType<typeof useSaveGovernorSettings>;
  /** What somebody else saved since the form was begun, while something typed is not saved; null: nothing. */
  conflict: { changes: FieldChange[]; typed: (field: string) => boolean } | null;
  change: (draft: LimitDraft, errors: FieldErrors) => void;
  /** Goes on with what was typed, on top of what is there now. */
  keep: () => void;
  /** Goes on with what is there now. */
  discard: () => void;
  /** @returns whether the values could be sent */
  submit: () => boolean;
}

/** State of the form. It follows what is saved while nothing was typed, and never loses what was. */
export function useSettingsForm(saved: VersionedGovernorSettings): SettingsForm {
  const save = useSaveGovernorSettings();
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState<LimitDraft>(() => draftOf(saved.settings, ZONE));
  const [errors, setErrors] = useState<FieldErrors>({});
  const started = draftOf(base.settings, ZONE);
  const dirty = !isSameDraft(draft, started);
  const changes = changesBetween(base, saved);
  const start = (from: VersionedGovernorSettings, next: LimitDraft): void => {
    setBase(from);
    setDraft(next);
    setErrors({});
  };
  const load = (from: VersionedGovernorSettings): void => start(from, draftOf(from.settings, ZONE));
  if (isOther(saved, base) && !dirty) load(saved);
  // Changed there and back again: nothing that was typed is touched by it.
  else if (isOther(saved, base) && changes.length === 0) setBase(saved);
  // While a save is being made, what is new is its own.
  const undecided = dirty && changes.length > 0 && !save.isPending;

  const submit = (): boolean => {
    const checked = checkDraft(draft);
    setErrors(checked.ok ? {} : checked.errors);
    if (!checked.ok || save.isPending) return checked.ok;
    const sent = { settings: checked.settings, madeFrom: base };
    save.mutate(sent, {
      onSuccess: (kept) => {
        setBase(kept);
        // What was typed since it was sent is not saved yet.
        setDraft((now) => rebaseDraft(now, draft, draftOf(kept.settings, ZONE)));
        setErrors({});
        toastDone('Settings saved', 'Agents follow them from their next heartbeat.');
      },
      onError: (error) => setErrors(refusedFields(error)),
    });
    return true;
  };
  return {
    draft,
    errors,
    dirty,
    save,
    conflict: undecided ? { changes, typed: (field) => isTyped(draft, started, field) } : null,
    change: (next, nextErrors) => {
      setDraft(next);
      setErrors(nextErrors);
      if (save.isError && !undecided) save.reset();
    },
    keep: () => {
      start(saved, rebaseDraft(draft, started, draftOf(saved.settings, ZONE)));
      save.reset();
    },
    discard: () => {
      load(saved);
      save.reset();
    },
    submit,
  };
}

function isOther(one: VersionedGovernorSettings, other: VersionedGovernorSettings): boolean {
  return one.version !== other.version || one.changedAtMs !== other.changedAtMs;
}

function changesBetween(before: VersionedGovernorSettings, after: VersionedGovernorSettings): FieldChange[] {
  return governorSettingsChanges(completeSettings(before.settings), completeSettings(after.settings));
}
