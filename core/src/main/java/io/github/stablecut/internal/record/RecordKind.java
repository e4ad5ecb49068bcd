package io.github.stablecut.internal.record;

/** The kinds of records in a partition's journal, as written numbers. */
public final class RecordKind {
  /** A committed transaction: {@link TransactionRecord}. */
  public static final byte TRANSACTION = 1;

  /** A ceiling of the clock: {@link ClockRecord}. */
  public static final byte CLOCK = 2;

  /**
   * A transaction that may be committed elsewhere: {@link TransactionRecord} with its prepare time.
   */
  public static final byte PREPARED = 3;

  /** The end of a decided transaction, or of an aborted one: {@link EndRecord}. */
  public static final byte END = 4;

  /** What sessions did last: {@link SessionsRecord}. */
  public static final byte SESSIONS = 5;

  /** How far the streams of other data centres have come: {@link ReachedRecord}. */
  public static final byte REACHED = 6;

  /** A checkpoint that all copies of the partition make: {@link CheckpointRecord}. */
  public static final byte CHECKPOINT = 7;

  private RecordKind() {}
}
