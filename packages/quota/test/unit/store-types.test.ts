import { describe, expectTypeOf, it } from 'vitest';
import { deadlineAt, type Deadline, type Draw, type Marker, type Return, type Store } from '../../src/index.ts';

/** Methods that may change what the store holds. */
type Writing = 'take' | 'takeNow' | 'takeAll' | 'giveBack' | 'swap';
/** Methods that write nothing, or only delete. */
type Harmless = 'name' | 'profile' | 'probe' | 'read' | 'get' | 'remove' | 'time' | 'health' | 'laneOf' | 'close';

/** Whether a value of this type has a deadline in it. */
type Dated<T> = Deadline extends T
  ? true
  : T extends readonly (infer E)[]
    ? Dated<E>
    : T extends { readonly deadline: infer D }
      ? D extends Deadline
        ? true
        : false
      : false;
type AnyDated<P extends readonly unknown[]> = true extends { [K in keyof P]: Dated<P[K]> }[number] ? true : false;

describe('the store interface', () => {
  it('has no method beside those classified here, so that a new one is looked at', () => {
    expectTypeOf<keyof Store>().toEqualTypeOf<Writing | Harmless>();
  });

  it('has no writing method that can be called without a deadline', () => {
    expectTypeOf<AnyDated<Parameters<Store['take']>>>().toEqualTypeOf<true>();
    expectTypeOf<AnyDated<Parameters<NonNullable<Store['takeNow']>>>>().toEqualTypeOf<true>();
    expectTypeOf<AnyDated<Parameters<Store['takeAll']>>>().toEqualTypeOf<true>();
    expectTypeOf<AnyDated<Parameters<Store['giveBack']>>>().toEqualTypeOf<true>();
    expectTypeOf<AnyDated<Parameters<Store['swap']>>>().toEqualTypeOf<true>();
    expectTypeOf<Dated<Marker>>().toEqualTypeOf<true>();
  });

  it('accepts no number, no duration and no absence for a deadline', () => {
    expectTypeOf<number>().not.toExtend<Deadline>();
    expectTypeOf<undefined>().not.toExtend<Deadline>();
    expectTypeOf<Omit<Draw, 'deadline'>>().not.toExtend<Draw>();
    expectTypeOf<Omit<Return, 'deadline'>>().not.toExtend<Return>();
    expectTypeOf(deadlineAt).returns.toEqualTypeOf<Deadline>();
    // @ts-expect-error a bare number is no deadline
    const draw: Draw = { key: 'k', amount: 1, unit: 1, limit: 1, deadline: 60_000 };
    expectTypeOf(draw).toExtend<{ key: string }>();
  });
});
