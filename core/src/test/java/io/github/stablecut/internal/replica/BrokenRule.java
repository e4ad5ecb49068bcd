package io.github.stablecut.internal.replica;

/**
 * A rule of copies (decision 20) that a {@link ReplicasSimulation} leaves out, around the code of
 * the copies: at their disks, at what they tell each other, or at the register.
 */
enum BrokenRule {
  /** A copy does not know any more after a crash what it has promised. */
  FORGOTTEN_PROMISE,
  /** A copy acknowledges records before they are synced. */
  EARLY_ACKNOWLEDGEMENT,
  /** A copy takes groups of an epoch below the one that it has promised, and these count. */
  NO_EPOCH_CHECK,
  /** A candidate does not look at what the others have and it lacks. */
  NO_FETCH,
  /** A copy keeps what a deposed leader wrote where the leader has something else. */
  NO_TRUNCATION,
  /** A copy takes a group although what it has before it is not what the leader has. */
  NO_MATCH,
  /** What a copy has without the header of the leader's epoch counts. */
  NO_HEADER,
  /** A record, also one of a prepared transaction, counts once the leader has synced it. */
  NO_MAJORITY,
  /** A leader answers latest reads without asking a majority whether it still leads. */
  NO_READ_ROUND,
  /** A copy whose disk was lost has its name, and its vote, again. */
  FORGETFUL_VOTER,
  /** The register agrees on a layout although there is another one of its epoch. */
  NO_COMPARISON,
  /** All learners become voters in one step. */
  CHANGES_TOGETHER,
  /** A copy whose disk has damaged what it has acknowledged last votes by what is left. */
  SHORTENED_VOTES,
  /** Its vote counts again before it has all that it may have acknowledged. */
  EARLY_RESTORE,
  /** After another crash it does not know any more that it has lost something. */
  FORGOTTEN_LOSS
}
