import { useEffect, useRef, useState, type FormEvent, type ReactElement } from 'react';
import { useInfo, useLogin } from '../../data/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Logo } from '../../shell/logo.tsx';
import styles from './login-page.module.css';

/** The only page without a session. After it, the address that was asked for is shown. */
export function LoginPage(): ReactElement {
  const login = useLogin();
  const info = useInfo().data;
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    document.title = 'Log in · Weir';
    form.current?.querySelector('input')?.focus();
  }, []);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const problems = {
      ...(username.trim() === '' ? { username: 'Enter your user name.' } : {}),
      ...(password === '' ? { password: 'Enter your password.' } : {}),
    };
    setMissing(problems);
    if (Object.keys(problems).length === 0 && !login.isPending) login.mutate({ username: username.trim(), password });
  };

  return (
    <main className={styles.page}>
      <div className={styles.box}>
        <Logo />
        <h1 className={styles.title}>Log in to the console</h1>
        <form ref={form} className={styles.form} onSubmit={submit} noValidate>
          <TextField
            label="User name"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            value={username}
            error={missing.username}
            onChange={(event) => setUsername(event.target.value)}
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            maxLength={256}
            value={password}
            error={missing.password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {login.isError && <ErrorNotice error={login.error} />}
          <Button variant="primary" type="submit" busy={login.isPending}>
            {login.isPending ? 'Logging in…' : 'Log in'}
          </Button>
        </form>
        <p className={styles.hint}>
          First start? The console printed the password of the user <strong>admin</strong> when it made it.
        </p>
      </div>
      <p className={styles.version}>{info === undefined ? '\u00a0' : `Weir ${info.version}`}</p>
    </main>
  );
}
