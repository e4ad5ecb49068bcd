package io.github.stablecut.internal.transaction;

/**
 * A rule of replicas or of two-phase commit (decision 20, protocol 1.9), and the patch that removes
 * it from the code of {@link PatchedClasses}.
 */
enum RemovedRule {
  /** A record is durable only at a majority. */
  MAJORITY(
      "core/internal/replica/LogReplicator",
      "return !hasSteppedDown && configuration.isMajority(have);",
      "return !hasSteppedDown;"),
  /** Groups and messages of an earlier epoch than the vote are refused. */
  STALE_EPOCH(
      "core/internal/replica/Replica", "if (epoch < log.promisedEpoch()) {", "if (false) {"),
  /** A vote is durable before it is sent. */
  DURABLE_VOTE(
      "core/internal/partition/replicated/VoteState",
      "durable.write(newEpoch, newShortened);",
      "durable.write(durable.read(), newShortened);"),
  /** A vote that a disk has refused is not sent. */
  REFUSED_VOTE(
      "core/internal/partition/replicated/VoteState",
      "durable.write(newEpoch, newShortened);",
      "try { durable.write(newEpoch, newShortened); } catch (RuntimeException e) { }"),
  /** A candidate leads only if no log of its voters is later. */
  LATEST_LOG("core/internal/replica/Election", "if (end.compareTo(own) <= 0) {", "if (true) {"),
  /** A replica leads an epoch only if it knows that its compare-and-set has won. */
  WON_EPOCH(
      "core/internal/replica/Replica",
      "if (!hasWon || isClosing || next.epoch() <= log.promisedEpoch()) {",
      "if (isClosing || next.epoch() <= log.promisedEpoch()) {"),
  /** The leader serves once a majority has its header. */
  HEADER_AT_MAJORITY(
      "core/internal/replica/Replica",
      "if (role != Role.STARTING || !own.isOnMajority(own.epochStart())) {",
      "if (role != Role.STARTING) {"),
  /** A replica counts only for what it acknowledged together with the header of the epoch. */
  HEADER_COUNTS(
      "core/internal/replica/LogReplicator",
      "message.epoch() == configuration.epoch() && message.isInEpoch()",
      "message.epoch() == configuration.epoch()"),
  /** A follower refuses a group if its log before it differs from the leader's. */
  LOG_MATCH(
      "core/internal/replica/FollowerLog",
      "&& (first <= committed || log.epochs().at(first - 1) == group.previousEpoch());",
      ";"),
  /** A failed append is not acknowledged. */
  FAILED_APPEND(
      "core/internal/partition/replicated/ReplicaJournalLog",
      "target .failure() .ifPresent( why -> { throw new IllegalStateException(why); });"
          + " if (target.nextRecord() != next) {",
      "if (target.failure().isEmpty() && target.nextRecord() != next) {"),
  /** A deposed leader's group is not announced as durable. */
  DEPOSED_GROUP(
      "core/internal/replica/LogReplicator", "if (!isOnMajority(next)) {", "if (false) {"),
  /** A record is synced before it counts. */
  SYNCED_RECORD(
      "journal/journal/GroupFlusher",
      "if (sync) { writer.force(); } current.await(writer.nextRecord());",
      "current.await(writer.nextRecord());"),
  /** Reads of the latest state ask a majority whether this replica still leads. */
  READ_INDEX(
      "core/internal/replica/LogReplicator",
      "return hasSteppedDown ? CompletableFuture.completedFuture(false) : reads.ask();",
      "return CompletableFuture.completedFuture(!hasSteppedDown);"),
  /** Snapshots are below a ceiling that a majority has. */
  CEILING("core/internal/partition/commit/StableTime", "if (needsCeiling) {", "if (false) {"),
  /** A follower reads only up to a time that its leader has reported as complete. */
  COMPLETE_TIME(
      "core/internal/partition/replicated/FollowerReads",
      "if (from == null || !snapshot.isAtOrBefore(from.stable)) {",
      "if (from == null) {"),
  /** A reader waits for what is prepared at or below its snapshot. */
  PREPARED_READERS(
      "core/internal/partition/commit/StableTime",
      "return undecided == null ? vector : local.lower(vector, undecided - 1);",
      "return vector;"),
  /** A participant that receives an abort believes it only as a confirmed leader. */
  CONFIRMED_ABORT(
      "core/internal/partition/twophase/Participant",
      "sequencer.ifStillLeading( () -> { sequencer.run(() -> abortInOrder(id));"
          + " sequencer.progress().changed(); });",
      "sequencer.run(() -> abortInOrder(id)); sequencer.progress().changed();"),
  /** A coordinator reports an abort only as a confirmed leader. */
  CONFIRMED_ANSWER(
      "core/internal/partition/twophase/Coordinator",
      "if (reply instanceof Message.Abort) {",
      "if (false) {"),
  /** A part that is not prepared is acknowledged only by a confirmed leader. */
  CONFIRMED_ACKNOWLEDGEMENT(
      "core/internal/partition/twophase/Participant",
      "sequencer.ifStillLeading( () -> courier.send(id.coordinator(), new Message.Acknowledge(id,"
          + " number)));",
      "courier.send(id.coordinator(), new Message.Acknowledge(id, number));"),
  /** Only a confirmed leader says that a request was not executed before. */
  CONFIRMED_NOVELTY(
      "core/internal/partition/twophase/Coordinator",
      "if (message.request().isPresent() && reply instanceof Message.Opened) {",
      "if (false) {"),
  /** A request is executed once. */
  REPEATED_REQUEST(
      "core/internal/partition/commit/Sequencer",
      "if (executed.isPresent()) { return executed; }",
      ""),
  /** Voters change one by one. */
  ONE_VOTER_AT_A_TIME(
      "core/internal/replica/VoterChanges",
      ".map(configuration::without); } return earlier",
      ".map(voter -> new Configuration(configuration.epoch() + 1, configuration.leader(),"
          + " configuration.without(voter).with(learner).voters())); } return earlier"),
  /** No voter is removed before the remaining ones could continue. */
  REMAINING_VOTERS(
      "core/internal/replica/VoterChanges",
      "return next.isMajority(",
      "return true || next.isMajority("),
  /** A vote by a log that may have lost its end does not count. */
  SHORTENED_VOTE("core/internal/replica/Configuration", "if (!end.isShortened()) {", "if (true) {");

  private final SourcePatch patch;

  RemovedRule(String place, String text, String replacement) {
    this.patch = new SourcePatch(place, text, replacement);
  }

  SourcePatch patch() {
    return patch;
  }
}
