package io.github.stablecut.internal.record;

/** The kinds of records in a partition's journal, as written numbers. */
public final class RecordKind {
  /** A committed transaction: {@link TransactionRecord}. */
  public static final byte TRANSACTION = 1;

  /** A ceiling of the clock: {@link ClockRecord}. */
  public static final byte CLOCK = 2;

  private RecordKind() {}
}
