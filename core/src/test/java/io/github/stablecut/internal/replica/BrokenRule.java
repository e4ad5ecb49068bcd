package io.github.stablecut.internal.replica;

/**
 * A rule of replicas (decision 20) that a {@link ReplicasSimulation} omits, outside the code of the
 * replicas: at their disks, in their messages, or at the configuration register.
 */
enum BrokenRule {
  /** A replica forgets its votes in a crash. */
  FORGOTTEN_PROMISE,
  /** A replica acknowledges records before they are synced. */
  EARLY_ACKNOWLEDGEMENT,
  /** A replica accepts groups of an epoch below its vote, and these count. */
  NO_EPOCH_CHECK,
  /** A candidate does not fetch records that the others have and it lacks. */
  NO_FETCH,
  /** A replica keeps a deposed leader's records where the leader has others. */
  NO_TRUNCATION,
  /** A replica accepts a group although its log before it differs from the leader's. */
  NO_MATCH,
  /** Records of a replica without the header of the leader's epoch count. */
  NO_HEADER,
  /** A record, also one of a prepared transaction, counts once the leader has synced it. */
  NO_MAJORITY,
  /** A leader answers latest reads without asking a majority whether it still leads. */
  NO_READ_ROUND,
  /** A replica whose disk was lost keeps its name, and its vote. */
  FORGETFUL_VOTER,
  /** The register accepts a configuration although it has another one of the same epoch. */
  NO_COMPARISON,
  /** All learners become voters in one step. */
  CHANGES_TOGETHER,
  /** A replica whose disk damaged its last acknowledged records votes by the remaining ones. */
  SHORTENED_VOTES,
  /** Its vote counts again before it has everything that it may have acknowledged. */
  EARLY_RESTORE,
  /** After another crash it has forgotten that it lost records. */
  FORGOTTEN_LOSS
}
