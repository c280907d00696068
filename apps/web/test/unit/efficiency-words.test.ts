import { describe, expect, it } from 'vitest';
import { explainEfficiency } from '../../src/pages/monitor/efficiency-words.ts';

const ROW = {
  name: 'agent-2',
  allocatedTps: 164,
  actualTps: 492,
  efficiencyPercent: 300,
  chargedOps: 4_920,
  creditBudget: 4_920,
  exhaustedMs: 20_000,
  parkedOps: 128,
};

describe('efficiency above 100 %', () => {
  it('explains itself with the credits, when they were spent, and how long the agent was parked', () => {
    const words = explainEfficiency(ROW);
    expect(words?.title).toBe('Why 300.0%?');
    expect(words?.figures).toEqual([
      { name: 'Credits of the window', value: '4,920' },
      { name: 'Spent', value: '4,920 within 10 s' },
      { name: 'Then parked for', value: '20 s' },
      { name: 'Waiting for credits', value: '128' },
    ]);
    expect(words?.sentences.join(' ')).toContain('4,920 ÷ 10 s = 492 TPS');
    expect(words?.sentences.join(' ')).toContain('164 TPS allocated');
  });

  it('says so when the agent was never out of credits: its share has changed since', () => {
    const words = explainEfficiency({ ...ROW, exhaustedMs: 0, allocatedTps: 246, efficiencyPercent: 200 });
    expect(words?.sentences.join(' ')).toContain('Its share changed');
  });

  it.each([null, 0, 64.5, 100])('has nothing to explain at %s %%', (efficiencyPercent) => {
    expect(explainEfficiency({ ...ROW, efficiencyPercent })).toBeNull();
  });
});
