import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import { App } from './app.tsx';
import { readPagesAhead } from './pages.ts';
import { installHistoryGuard } from './shell/leave-guard.ts';

/** How long after the start the other pages are read, in ms: the first one must not wait for them. */
const READ_AHEAD_AFTER_MS = 1_500;

installHistoryGuard();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
setTimeout(() => void readPagesAhead(), READ_AHEAD_AFTER_MS);
