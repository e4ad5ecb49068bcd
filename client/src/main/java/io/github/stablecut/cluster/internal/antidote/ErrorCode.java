package io.github.stablecut.cluster.internal.antidote;

/**
 * The numbers of errors in answers. 0 to 3 are AntidoteDB's; clients pass on any other, and these
 * tell a client of Stablecut which exception to throw.
 */
public enum ErrorCode {
  /** Something that nobody foresaw; the server's log has it. */
  UNKNOWN(0),
  /** A transaction was open, or unused, for too long. */
  TIMEOUT(1),
  /** A type's own rules forbid the operation: a bounded counter lacks rights. */
  NO_PERMISSIONS(2),
  /** Another transaction has changed what this one depends on: try again. */
  ABORTED(3),
  /** The request makes no sense, whatever the store holds. */
  BAD_REQUEST(100),
  /** The object has another type. */
  TYPE_MISMATCH(101),
  /** Something is larger, or there are more of it, than the server allows. */
  LIMIT_EXCEEDED(102),
  /** The descriptor names no open transaction. */
  NO_TRANSACTION(103),
  /** The clock is another store's, or ahead of this one. */
  UNKNOWN_SNAPSHOT(104),
  /** The server has as much to do as it may: try again. */
  BUSY(200),
  /** The disk is full: try again once there is room. */
  DISK_FULL(201),
  /** Nobody could say in time whether the transaction is committed. */
  OUTCOME_UNKNOWN(202),
  /** The server can't serve this any more before it is started again. */
  UNAVAILABLE(300),
  /** Stored data is damaged. */
  DAMAGED(400);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  static ErrorCode of(long number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    return UNKNOWN;
  }
}
