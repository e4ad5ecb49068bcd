package io.github.stablecut.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.PendingRecord;
import io.github.stablecut.journal.segment.LogSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A replica in orders of events that are too rare for {@link ReplicasSimulation}. */
final class ReplicaTest {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final long SECOND = 1_000_000_000;

  private final Host host = new Host();
  private final SimulatedLog log = new SimulatedLog();
  private final Replica replica = new Replica("a", Configuration.first(NAMES), log, host, 0);

  private static final class Host implements ReplicaHost {
    @Override
    public long completeTime() {
      return 0;
    }

    @Override
    public void complete(long time, long next) {}

    private final List<ReplicaMessage> sent = new ArrayList<>();
    private String lastTo = "";

    /** The node whose replica is to lead instead; empty if this one may keep leading. */
    private String leavesTo = "";

    private int reads;
    private int fetches;
    private int replaces;

    /** The round of the last pre-vote. */
    private long request;

    private boolean isApplied = true;
    private boolean isClosing;
    private boolean mayChangeVoters = true;
    private long toApply;
    private @Nullable LogReplicator leading;

    @Override
    public void send(String to, ReplicaMessage message) {
      sent.add(message);
      if (message instanceof ReplicaMessage.PreVoteRequest inquiry) {
        request = inquiry.round();
      }
      lastTo = to;
    }

    @Override
    public void readConfiguration() {
      reads++;
    }

    @Override
    public void replaceConfiguration(Configuration next) {
      replaces++;
    }

    @Override
    public void committed(long next) {}

    @Override
    public boolean apply(long next) {
      toApply = next;
      return isApplied;
    }

    @Override
    public void lead(Configuration configuration, LogReplicator replicator) {
      leading = replicator;
    }

    @Override
    public void requestTransfer(String node) {
      leavesTo = node;
    }

    @Override
    public void fetchCheckpoint(String leader, long epoch, LogEnd end) {
      fetches++;
    }

    @Override
    public void serveCheckpoint(String to, ReplicaMessage.CheckpointRequest request) {}

    @Override
    public void checkpointReceived(String from, ReplicaMessage.CheckpointListing files) {}

    @Override
    public void checkpointReceived(String from, ReplicaMessage.FileChunk part) {}

    @Override
    public boolean mayChangeVoters() {
      return mayChangeVoters;
    }

    @Override
    public boolean stopLeading() {
      leading = null;
      return !isClosing;
    }
  }

  /** Replica a gets the register's agreement in time, and leads epoch 1 after two seconds. */
  private void win() {
    silence(2 * SECOND);
    replica.configurationRead(Configuration.first(NAMES));
    replica.replaced(Configuration.first(NAMES).ledBy("a"), true);
    receive("b", new ReplicaMessage.Vote(1, new LogEnd(0, 1)), 2 * SECOND);
    acknowledge("b", 1, 2 * SECOND);
  }

  private void receive(String from, ReplicaMessage message, long nanos) {
    replica.receive(from, message, nanos);
  }

  private void acknowledge(String from, long next, long nanos) {
    receive(from, new ReplicaMessage.Acknowledged(1, next, true, LogSpace.ENOUGH), nanos);
  }

  private LogReplicator leading() {
    return Objects.requireNonNull(host.leading);
  }

  private long rounds() {
    return host.sent.stream()
        .filter(ReplicaMessage.ReadIndexRequest.class::isInstance)
        .map(message -> ((ReplicaMessage.ReadIndexRequest) message).round())
        .distinct()
        .count();
  }

  /** No leader, as far as the replica and another one know. */
  private void silence(long nanos) {
    replica.tick(nanos);
    ReplicaMessage.PreVoteRequest request =
        (ReplicaMessage.PreVoteRequest) host.sent.get(host.sent.size() - 1);
    receive(
        "b", new ReplicaMessage.PreVote(request.epoch(), request.round(), true, log.end()), nanos);
  }

  /**
   * The records that it replicates may include a large one on a slow link, which would start over.
   */
  @Test
  void aCandidateWaitsForAVoterThatCatchesUpWhileItIsHeard() {
    log.append(List.of(new LogRecord((byte) 1, new byte[8])));
    silence(2 * SECOND);
    replica.configurationRead(Configuration.first(NAMES));
    replica.replaced(Configuration.first(NAMES).ledBy("a"), true);
    receive("b", new ReplicaMessage.Vote(1, new LogEnd(0, 1)), 2 * SECOND);
    for (long second = 3; second < 60; second++) {
      receive("b", new ReplicaMessage.ReadIndexConfirmed(1, rounds()), second * SECOND);
      replica.tick(second * SECOND);
      assertThat(replica.role()).isEqualTo(Replica.Role.STARTING);
    }

    acknowledge("b", 2, 60 * SECOND);

    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
  }

  @Test
  void aCandidateWithoutContactGivesUp() {
    log.append(List.of(new LogRecord((byte) 1, new byte[8])));
    silence(2 * SECOND);
    replica.configurationRead(Configuration.first(NAMES));
    replica.replaced(Configuration.first(NAMES).ledBy("a"), true);
    receive("b", new ReplicaMessage.Vote(1, new LogEnd(0, 1)), 2 * SECOND);
    assertThat(replica.role()).isEqualTo(Replica.Role.STARTING);

    replica.tick(5 * SECOND + 1);

    assertThat(replica.role()).isEqualTo(Replica.Role.FOLLOWING);
  }

  @Test
  void theWinnerOfAnEpochDoesNotLeadALaterEpochOfAnother() {
    silence(2 * SECOND);
    Configuration own = Configuration.first(NAMES).ledBy("a");
    replica.configurationRead(Configuration.first(NAMES));
    // The register is slow, so the candidate asks twice.
    silence(8 * SECOND);
    assertThat(host.reads).isGreaterThan(1);
    assertThat(host.replaces).isEqualTo(1);
    replica.replaced(own, true);
    replica.configurationRead(own.ledBy("b"));

    host.sent.clear();
    replica.tick(9 * SECOND);
    receive("c", new ReplicaMessage.Vote(2, log.end()), 9 * SECOND);

    assertThat(host.sent)
        .containsExactly(new ReplicaMessage.VoteRequest(1), new ReplicaMessage.VoteRequest(1));
    assertThat(replica.role()).isEqualTo(Replica.Role.CAMPAIGNING);
  }

  @Test
  void retriesAtOnceAfterAFailureOfTheRegister() {
    silence(2 * SECOND);
    silence(3 * SECOND);
    assertThat(host.reads).isOne();

    replica.registerFailed();

    silence(4 * SECOND);
    assertThat(host.reads).isEqualTo(2);
  }

  @Test
  void waitersForAReadIndexContinueWithoutTheLogsMonitor() {
    win();
    LogReplicator replicator = leading();
    List<Boolean> held = new ArrayList<>();
    List<CompletableFuture<Void>> waiters = new ArrayList<>();
    waiters.add(
        replicator.confirm().thenAccept(isLeading -> held.add(Thread.holdsLock(replicator))));
    receive("b", new ReplicaMessage.ReadIndexConfirmed(1, 1), 2 * SECOND);
    waiters.add(
        replicator.confirm().thenAccept(isLeading -> held.add(Thread.holdsLock(replicator))));
    waiters.add(
        replicator.confirm().thenAccept(isLeading -> held.add(Thread.holdsLock(replicator))));
    replica.close();

    assertThat(waiters).allMatch(CompletableFuture::isDone);
    assertThat(held).containsExactly(false, false, false);
  }

  @Test
  void anAcknowledgementWakesTheJournalBeforeTheReplicasThread() throws InterruptedException {
    win();
    LogReplicator replicator = leading();
    Thread journal = new Thread(() -> replicator.await(2));
    journal.start();

    replicator.countAcknowledgement(
        "b", new ReplicaMessage.Acknowledged(2, 2, true, LogSpace.ENOUGH));
    replicator.countAcknowledgement(
        "b", new ReplicaMessage.Acknowledged(1, 2, false, LogSpace.ENOUGH));
    replicator.countAcknowledgement(
        "b", new ReplicaMessage.Acknowledged(1, 1, true, LogSpace.ENOUGH));
    replicator.countAcknowledgement(
        "a", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.ENOUGH));
    replicator.countAcknowledgement(
        "d", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.ENOUGH));
    assertThat(replicator.isOnMajority(2)).isFalse();
    replicator.countAcknowledgement(
        "b", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.ENOUGH));
    journal.join();

    assertThat(replicator.committed()).isEqualTo(2);
  }

  @Test
  void aSurplusLeaderStaysUntilARemainingVoterCanTakeOverAtOnce() {
    win();
    replica.place(List.of("c"));
    acknowledge("b", 1, 4 * SECOND);
    replica.tick(4 * SECOND);
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);

    receive("c", new ReplicaMessage.Acknowledged(1, 1, true, LogSpace.NONE), 5 * SECOND);
    replica.tick(5 * SECOND);
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);

    acknowledge("c", 1, 5 * SECOND);
    replica.tick(5 * SECOND);
    replica.configurationRead(Configuration.first(NAMES).ledBy("a"));
    assertThat(host.leavesTo).isEqualTo("c");
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
  }

  /** No other replica could lead. */
  @Test
  void aSurplusLeaderStaysWhileTheRegisterDoesNotAnswer() {
    win();
    replica.place(List.of("b", "c"));
    int reads = host.reads;
    for (long second = 3; second < 60; second++) {
      acknowledge("b", 1, second * SECOND);
      replica.tick(second * SECOND);
      replica.registerFailed();
    }
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
    assertThat(host.reads).isGreaterThan(reads);

    replica.place(NAMES);
    replica.configurationRead(Configuration.first(NAMES).ledBy("a"));
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
  }

  @Test
  void aLearnerThatRestartsEmptyUnderItsNameGetsTheLogFromTheBeginning() {
    win();
    replica.place(List.of("a", "b", "c", "d"));
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    acknowledge("b", 2, 2 * SECOND);
    leading().await(2);
    receive("d", new ReplicaMessage.LearnerRequest(1), 2 * SECOND);
    acknowledge("d", 2, 2 * SECOND);
    replica.tick(2 * SECOND);
    assertThat(leading().readyLearners()).containsExactly("d");
    host.sent.clear();

    receive("d", new ReplicaMessage.LogMismatch(1, 1, new SimulatedLog().epochs()), 3 * SECOND);

    assertThat(host.sent)
        .singleElement()
        .isInstanceOfSatisfying(
            ReplicaMessage.Group.class, group -> assertThat(group.first()).isEqualTo(1));
    assertThat(leading().readyLearners()).isEmpty();
  }

  @Test
  void aVoterWithALaterLogThatDoesNotLeadIsNotWaitedForForever() {
    for (long tick = 2; tick < 10; tick++) {
      answerOfTwo(tick * SECOND);
      assertThat(host.replaces).isZero();
    }

    answerOfTwo(11 * SECOND);

    assertThat(host.replaces).isOne();
  }

  /** Both others hear no leader, and one of them has a later log. */
  private void answerOfTwo(long nanos) {
    replica.tick(nanos);
    ReplicaMessage.PreVoteRequest request =
        (ReplicaMessage.PreVoteRequest) host.sent.get(host.sent.size() - 1);
    long round = request.round();
    receive("b", new ReplicaMessage.PreVote(request.epoch(), round, true, new LogEnd(0, 7)), nanos);
    receive("c", new ReplicaMessage.PreVote(request.epoch(), round, true, log.end()), nanos);
    replica.configurationRead(Configuration.first(NAMES));
  }

  @Test
  void aSurplusVoterStaysWhileTheRemainingOnesNeedIt() {
    win();
    int before = host.replaces;
    replica.place(List.of("a", "b"));
    acknowledge("c", 1, 4 * SECOND);

    replica.tick(4 * SECOND);
    assertThat(host.replaces).isEqualTo(before);

    acknowledge("b", 1, 5 * SECOND);
    acknowledge("c", 1, 5 * SECOND);
    replica.tick(5 * SECOND);
    assertThat(host.replaces).isEqualTo(before + 1);
  }

  /** Replicas b and c are alive, but lack records that d and e have committed with a. */
  @Test
  void aSurplusVoterStaysWhileTheRemainingMajorityLacksRecords() {
    List<String> five = List.of("a", "b", "c", "d", "e");
    Replica leader = new Replica("a", Configuration.first(five), log, host, 0);
    Configuration first = Configuration.first(five).ledBy("a");
    leader.tick(2 * SECOND);
    leader.replaced(first, true);
    five.stream()
        .skip(1)
        .forEach(
            voter -> {
              ReplicaMessage promised = new ReplicaMessage.Vote(1, new LogEnd(0, 1));
              leader.receive(voter, promised, 2 * SECOND);
            });
    ReplicaMessage hasHeader = new ReplicaMessage.Acknowledged(1, 1, true, LogSpace.ENOUGH);
    ReplicaMessage hasAll = new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.ENOUGH);
    List.of("d", "e").forEach(voter -> leader.receive(voter, hasHeader, 2 * SECOND));
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    List.of("d", "e").forEach(voter -> leader.receive(voter, hasAll, 2 * SECOND));
    leading().await(2);
    List.of("b", "c").forEach(voter -> leader.receive(voter, hasHeader, 2 * SECOND));
    leader.tick(2 * SECOND);
    int before = host.replaces;
    leader.place(List.of("a", "b", "c"));

    leader.tick(2 * SECOND + SECOND / 4);
    assertThat(host.replaces).isEqualTo(before);

    leader.receive("b", hasAll, 2 * SECOND + SECOND / 4);
    leader.tick(2 * SECOND + SECOND / 2);
    assertThat(host.replaces).isEqualTo(before + 1);
  }

  /** Replica b is alive, but lacks records; replica c, whose node restarts empty, is lost. */
  @Test
  void aLostVoterStaysWhileTheRemainingOnesNeedIt() {
    win();
    int before = host.replaces;
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    log.append(List.of(new LogRecord((byte) 1, new byte[] {1})));
    acknowledge("c", 1, 2 * SECOND);
    acknowledge("c", 2, 2 * SECOND);
    leading().await(2);
    receive("c~1", new ReplicaMessage.LearnerRequest(1), 4 * SECOND);
    acknowledge("c~1", 2, 4 * SECOND);
    acknowledge("b", 1, 4 * SECOND);
    replica.tick(4 * SECOND);
    replica.tick(4 * SECOND + SECOND / 4);
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
    assertThat(leading().readyLearners()).containsExactly("c~1");
    assertThat(host.replaces).isEqualTo(before);

    receive(
        "b", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.NONE), 4 * SECOND + SECOND / 4);
    replica.tick(4 * SECOND + SECOND / 2);
    assertThat(host.replaces).isEqualTo(before + 1);
  }

  @Test
  void aSilentSurplusVoterStaysWhileTheRemainingOnesNeedIt() {
    win();
    int before = host.replaces;
    replica.place(List.of("a", "b", "d"));
    receive("d", new ReplicaMessage.LearnerRequest(1), 4 * SECOND);
    acknowledge("d", 1, 4 * SECOND);

    replica.tick(4 * SECOND);
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
    assertThat(host.replaces).isEqualTo(before);

    acknowledge("b", 1, 4 * SECOND);
    replica.tick(4 * SECOND + SECOND / 4);
    assertThat(host.replaces).isEqualTo(before + 1);
  }

  @Test
  void aSilentLearnerDoesNotBecomeAVoter() {
    win();
    int before = host.replaces;
    replica.place(List.of("a", "b", "c", "d"));
    receive("d", new ReplicaMessage.LearnerRequest(1), 2 * SECOND);
    acknowledge("d", 1, 2 * SECOND);
    acknowledge("b", 1, 4 * SECOND);

    replica.tick(4 * SECOND);
    assertThat(host.replaces).isEqualTo(before);

    acknowledge("d", 1, 4 * SECOND);
    replica.tick(4 * SECOND + SECOND / 4);
    assertThat(host.replaces).isEqualTo(before + 1);
  }

  /** A voter may campaign, without the records that the leader has still to replicate. */
  @Test
  void noLearnerBecomesAVoterBeforeTheLeaderHasReplicatedItsOwnRecords() {
    win();
    int before = host.replaces;
    replica.place(List.of("a", "b", "c", "d"));
    receive("d", new ReplicaMessage.LearnerRequest(1), 2 * SECOND);
    acknowledge("d", 1, 2 * SECOND);
    host.mayChangeVoters = false;
    replica.tick(2 * SECOND + SECOND / 4);
    assertThat(host.replaces).isEqualTo(before);

    host.mayChangeVoters = true;
    replica.tick(2 * SECOND + SECOND / 2);

    assertThat(host.replaces).isEqualTo(before + 1);
  }

  @Test
  void aLeaderSendsHeartbeatsWhileItAppliesItsBacklogAndThenLeads() {
    host.isApplied = false;
    win();
    for (long tick = 9; tick < 100; tick++) {
      host.sent.clear();
      acknowledge("b", 1, tick * SECOND / 4);
      replica.tick(tick * SECOND / 4);
      assertThat(host.sent).hasSize(2);
    }
    assertThat(replica.role()).isEqualTo(Replica.Role.STARTING);
    assertThat(host.leading).isNull();
    assertThat(host.toApply).isEqualTo(1);

    host.isApplied = true;
    replica.applied();

    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
    assertThat(host.leading).isNotNull();
  }

  @Test
  void aLeaderWithAHangingDiskStepsDown() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    for (long tick = 9; tick < 50 && replica.role() == Replica.Role.LEADING; tick++) {
      assertThat(tick).isLessThan(30);
      replica.tick(tick * SECOND / 4);
      acknowledge("b", 2, tick * SECOND / 4);
    }

    assertThat(replica.role()).isEqualTo(Replica.Role.FOLLOWING);
    assertThat(host.leading).isNull();
  }

  @Test
  void aLeaderWithAWorkingDiskContinues() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    acknowledge("b", 2, 2 * SECOND);
    leading().await(2);
    for (long tick = 9; tick < 100; tick++) {
      replica.tick(tick * SECOND / 4);
      acknowledge("b", 2, tick * SECOND / 4);
    }

    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
  }

  @Test
  void aLeaderIsHeardWhileALargeGroupIsInFlight() {
    win();
    acknowledge("c", 1, 2 * SECOND);
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    host.sent.clear();

    replica.tick(2 * SECOND + SECOND / 4);

    assertThat(host.sent)
        .hasSize(2)
        .allSatisfy(
            message -> assertThat(message).isInstanceOf(ReplicaMessage.ReadIndexRequest.class));
  }

  @Test
  void aFollowerWithoutRecordsButWithHeartbeatsIsNotSilent() {
    for (long tick = 1; tick < 20; tick++) {
      receive("b", new ReplicaMessage.ReadIndexRequest(1, 0), tick * SECOND / 4);
      replica.tick(tick * SECOND / 4 + 1);
    }

    assertThat(host.sent)
        .allSatisfy(m -> assertThat(m).isInstanceOf(ReplicaMessage.ReadIndexConfirmed.class));
  }

  @Test
  void messagesCountFromTheTimeOfTheirProcessing() {
    // The disk was slow for two seconds.
    receive("b", new ReplicaMessage.ReadIndexRequest(1, 0), 2 * SECOND);
    replica.tick(2 * SECOND);

    assertThat(host.sent).containsExactly(new ReplicaMessage.ReadIndexConfirmed(1, 0));
  }

  @Test
  void waitingReadsShareARound() {
    win();
    host.sent.clear();
    List<CompletableFuture<Boolean>> reads = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      reads.add(leading().confirm());
    }
    assertThat(rounds()).isEqualTo(1);

    receive("b", new ReplicaMessage.ReadIndexConfirmed(1, 1), 2 * SECOND);
    assertThat(reads.get(0)).isCompletedWithValue(true);
    assertThat(reads.subList(1, 100)).noneMatch(CompletableFuture::isDone);
    receive("b", new ReplicaMessage.ReadIndexConfirmed(1, 2), 2 * SECOND);

    assertThat(reads).allMatch(CompletableFuture::isDone);
    assertThat(rounds()).isEqualTo(2);
  }

  @Test
  void steppingDownFailsAllWaitersForARound() {
    win();
    List<CompletableFuture<Boolean>> reads = List.of(leading().confirm(), leading().confirm());

    receive("b", new ReplicaMessage.StaleEpoch(7), 2 * SECOND);

    assertThat(reads).allSatisfy(read -> assertThat(read).isCompletedWithValue(false));
  }

  /** Otherwise records that it acknowledged meanwhile would be lost. */
  @Test
  void aLogThatChangedSinceTheCheckpointRequestIsNotReplaced() {
    receive("b", new ReplicaMessage.RecordsDropped(1, 50), SECOND);
    LogEnd then = log.end();
    assertThat(host.fetches).isEqualTo(1);
    assertThat(replica.mayReplace(then, 50)).isTrue();

    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[8]));
    receive("c", new ReplicaMessage.Group(2, 1, 0, 2, records, 1), 2 * SECOND);

    assertThat(log.next()).isEqualTo(2);
    assertThat(replica.mayReplace(then, 50)).isFalse();
  }

  @Test
  void anUpToDateReplicaFetchesNothing() {
    log.install(50, 1);

    receive("b", new ReplicaMessage.RecordsDropped(1, 50), SECOND);

    assertThat(host.fetches).isZero();
    assertThat(host.sent).contains(new ReplicaMessage.LogMismatch(1, 50, log.epochs()));
  }

  @Test
  void aReplicaWithoutRoomAcceptsTheHeaderOfAnEpochAndNoRecords() {
    log.setRoom(LogSpace.NONE);
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[8]));

    receive("b", new ReplicaMessage.Group(3, 1, 0, 3, List.of(), 1), SECOND);
    receive("b", new ReplicaMessage.Group(3, 1, 0, 3, records, 1), SECOND);

    assertThat(log.end()).isEqualTo(new LogEnd(3, 1));
    assertThat(host.sent).contains(new ReplicaMessage.Acknowledged(3, 1, true, LogSpace.NONE));
    log.setRoom(LogSpace.LITTLE);
    receive("b", new ReplicaMessage.Group(3, 1, 0, 3, records, 1), SECOND);
    assertThat(log.end()).isEqualTo(new LogEnd(3, 2));
  }

  @Test
  void aLeaderSendsNoRecordsToAReplicaWithoutRoomUntilItHasSome() {
    win();
    receive("c", new ReplicaMessage.Acknowledged(1, 1, true, LogSpace.NONE), 2 * SECOND);
    host.sent.clear();

    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[8], 8)));
    acknowledge("b", 2, 2 * SECOND);
    replica.tick(3 * SECOND);

    assertThat(groupsWithRecords()).isEqualTo(1);
    receive("c", new ReplicaMessage.Acknowledged(1, 1, true, LogSpace.LITTLE), 3 * SECOND);
    assertThat(groupsWithRecords()).isEqualTo(2);
  }

  /** Replica b has committed a record with the leader, which replica c does not know. */
  private void commitOne() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[8], 8)));
    log.append(List.of(new LogRecord((byte) 1, new byte[8])));
    acknowledge("b", 2, 2 * SECOND);
    leading().await(2);
  }

  @Test
  void repeatedCheckpointRequestsDoNotRetainTheLogForever() {
    commitOne();
    for (long second = 3; second < 80; second++) {
      acknowledge("b", 2, second * SECOND);
      replica.tick(second * SECOND);
      if (second % 10 == 0) {
        receive("c", new ReplicaMessage.CheckpointRequest(1, "", 0), second * SECOND);
      }
      if (second < 60) {
        assertThat(leading().oldestNeeded()).isEqualTo(1);
      }
    }

    assertThat(leading().oldestNeeded()).isEqualTo(2);
  }

  @Test
  void retainsTheLogForAReplicaThatGetsACheckpoint() {
    commitOne();
    for (long second = 3; second < 200; second++) {
      acknowledge("b", 2, second * SECOND);
      replica.tick(second * SECOND);
      if (second % 10 == 0) {
        receive(
            "c",
            new ReplicaMessage.CheckpointRequest(1, second == 10 ? "" : "run-1", 0),
            second * SECOND);
      }
    }

    assertThat(leading().oldestNeeded()).isEqualTo(1);
  }

  @Test
  void retainsTheLogForAReplicaThatGetsRecordsOfEarlierEpochs() {
    commitOne();
    for (long second = 3; second < 200; second++) {
      acknowledge("b", 2, second * SECOND);
      replica.tick(second * SECOND);
      if (second % 50 == 0) {
        ReplicaMessage took = new ReplicaMessage.Acknowledged(1, second, false, LogSpace.ENOUGH);
        receive("c", took, second * SECOND);
      }
    }

    assertThat(leading().oldestNeeded()).isEqualTo(1);
  }

  @Test
  void anEndingLeaderTransfersToAnUpToDateVoter() {
    commitOne();
    host.sent.clear();

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(host.sent).containsExactly(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("b");
    assertThat(host.leading).isNull();
    assertThat(replica.isDeposed() || replica.isDeclined()).isFalse();
    receive("b", new ReplicaMessage.VoteRequest(2), 3 * SECOND);
    assertThat(host.sent).contains(new ReplicaMessage.Vote(2, log.end()));
    assertThat(replica.isDeposed()).isTrue();
  }

  @Test
  void aLeaderThatTransfersLeadershipFollowsTheNewLeader() {
    commitOne();
    acknowledge("c", 2, 2 * SECOND);
    host.sent.clear();

    assertThat(replica.transferLeadershipTo("c")).isTrue();

    assertThat(host.sent).containsExactly(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("c");
    assertThat(replica.isDeposed()).isFalse();
    receive("c", new ReplicaMessage.VoteRequest(2), 3 * SECOND);
    assertThat(replica.isDeposed()).isTrue();
    receive("c", new ReplicaMessage.Group(2, 2, 1, 2, List.of(), 2), 3 * SECOND);
    assertThat(host.sent).contains(new ReplicaMessage.Acknowledged(2, 2, true, LogSpace.ENOUGH));
  }

  @Test
  void transfersToAnotherVoterIfTheRequestedOneIsAbsent() {
    commitOne();

    assertThat(replica.transferLeadershipTo("c")).isTrue();

    assertThat(host.lastTo).isEqualTo("b");
  }

  /** It would refuse commits at once, or soon. */
  @Test
  void asksVotersWithLittleRoomLast() {
    commitOne();
    receive("b", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.LITTLE), 2 * SECOND);
    acknowledge("c", 1, 2 * SECOND);
    host.sent.clear();

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(host.sent).doesNotContain(new ReplicaMessage.TimeoutNow(1));
    acknowledge("c", 2, 2 * SECOND);
    assertThat(host.sent).containsOnlyOnce(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("c");
    receive("c", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);
    assertThat(host.lastTo).isEqualTo("b");
  }

  @Test
  void asksAVoterWithLittleRoomIfThereIsNoOther() {
    commitOne();
    receive("b", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.LITTLE), 2 * SECOND);
    host.sent.clear();

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(host.sent).containsExactly(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("b");
  }

  /**
   * The journal, closed since, was woken by an acknowledgement that the replica has not processed
   * yet.
   */
  @Test
  void unprocessedAcknowledgementsCountForATransfer() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[8], 8)));
    log.append(List.of(new LogRecord((byte) 1, new byte[8])));
    leading()
        .countAcknowledgement("b", new ReplicaMessage.Acknowledged(1, 2, true, LogSpace.ENOUGH));
    leading().await(2);
    host.sent.clear();

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(host.sent).containsExactly(new ReplicaMessage.TimeoutNow(1));
  }

  @Test
  void aTransferWaitsForTheOtherVoterToCatchUp() {
    commitOne();
    acknowledge("c", 1, 2 * SECOND);
    host.sent.clear();

    assertThat(replica.transferLeadershipTo("c")).isTrue();
    replica.tick(2 * SECOND + SECOND / 2);

    assertThat(host.sent).doesNotContain(new ReplicaMessage.TimeoutNow(1));
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
    acknowledge("c", 2, 3 * SECOND);
    assertThat(host.sent).contains(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("c");
    assertThat(replica.isDeclined()).isFalse();
  }

  @Test
  void aTransferDoesNotWaitForever() {
    commitOne();
    acknowledge("c", 1, 2 * SECOND);
    assertThat(replica.transferLeadershipTo("c")).isTrue();

    for (long tenth = 25; tenth <= 36; tenth++) {
      acknowledge("c", 1, tenth * SECOND / 10);
      acknowledge("b", 2, tenth * SECOND / 10);
    }

    assertThat(host.sent).contains(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("b");
  }

  @Test
  void leadsAgainIfNoVoterIsUpToDate() {
    commitOne();
    replica.tick(3 * SECOND);
    int reads = host.reads;

    assertThat(replica.transferLeadershipTo("c")).isTrue();

    assertThat(replica.isDeclined()).isTrue();
    assertThat(host.reads).isEqualTo(reads + 1);
  }

  @Test
  void anEndingLeaderWaitsForAnyVoterAboutToCatchUp() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    host.sent.clear();

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(host.sent).doesNotContain(new ReplicaMessage.TimeoutNow(1));
    acknowledge("b", 2, 2 * SECOND);
    assertThat(host.sent).contains(new ReplicaMessage.TimeoutNow(1));
  }

  @Test
  void anEndingLeaderAsksOnlyVotersHeardRecently() {
    commitOne();
    replica.tick(3 * SECOND);

    assertThat(replica.transferLeadership()).isTrue();

    assertThat(replica.isDeclined()).isTrue();
    replica.tick(9 * SECOND);
    assertThat(host.sent.get(host.sent.size() - 1))
        .isNotInstanceOf(ReplicaMessage.PreVoteRequest.class);
  }

  /**
   * The journal knows that a majority has a group before the log does: the next leader must have
   * it.
   */
  @Test
  void aVoteNamesAllCommittedRecords() {
    win();
    leading().send(1, List.of(new PendingRecord((byte) 1, new byte[] {1}, 1)));
    acknowledge("b", 2, 2 * SECOND);
    leading().await(2);
    host.isClosing = true;

    receive("c", new ReplicaMessage.VoteRequest(2), 2 * SECOND);

    assertThat(host.sent).contains(new ReplicaMessage.Vote(2, new LogEnd(1, 2)));
  }

  /** The closing leadership still writes the log. */
  @Test
  void aClosingLeaderVotesForALaterEpochAndAcceptsNoneOfItsRecords() {
    commitOne();
    host.isClosing = true;
    host.sent.clear();
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[8]));

    receive("b", new ReplicaMessage.Group(2, 2, 1, 2, records, 2), 3 * SECOND);
    receive("b", new ReplicaMessage.Group(2, 2, 1, 2, records, 2), 3 * SECOND);
    receive("b", new ReplicaMessage.VoteRequest(2), 3 * SECOND);

    assertThat(log.end()).isEqualTo(new LogEnd(1, 2));
    assertThat(host.sent).containsExactly(new ReplicaMessage.Vote(2, log.end()));
  }

  @Test
  void aClosingLeaderDoesNotLeadAgainWithItsRequestedVoters() {
    win();
    host.isClosing = true;

    replica.replaced(new Configuration(2, "a", List.of("a", "b")), true);

    assertThat(replica.role()).isEqualTo(Replica.Role.FOLLOWING);
    assertThat(log.promisedEpoch()).isEqualTo(1);
  }

  @Test
  void afterATransferItLeadsNoEpochRequestedBefore() {
    commitOne();
    replica.transferLeadership();
    host.sent.clear();

    replica.replaced(new Configuration(2, "a", List.of("a", "b")), true);

    assertThat(replica.role()).isEqualTo(Replica.Role.FOLLOWING);
    assertThat(host.sent).isEmpty();
  }

  /** The answer to its request from before it led. */
  @Test
  void afterATransferItDoesNotAskTheRegisterWhenOthersHearNoLeader() {
    commitOne();
    long round = host.request;
    replica.transferLeadership();
    int reads = host.reads;

    receive("b", new ReplicaMessage.PreVote(0, round, true, log.end()), 9 * SECOND);
    receive("c", new ReplicaMessage.PreVote(0, round, true, log.end()), 9 * SECOND);

    assertThat(host.reads).isEqualTo(reads);
  }

  @Test
  void theTransferTargetAsksTheRegisterAtOnce() {
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    replica.configurationRead(Configuration.first(NAMES).ledBy("b"));

    receive("b", new ReplicaMessage.TimeoutNow(1), SECOND);
    receive("b", new ReplicaMessage.TimeoutNow(0), SECOND);

    assertThat(host.replaces).isOne();
    assertThat(host.reads).isZero();
  }

  @Test
  void theTransferTargetFirstReadsAnUnknownConfiguration() {
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);

    receive("b", new ReplicaMessage.TimeoutNow(1), SECOND);
    assertThat(host.replaces).isZero();
    replica.configurationRead(Configuration.first(NAMES).ledBy("b"));

    assertThat(host.replaces).isOne();
  }

  /**
   * Replica b leads epoch 1 and transfers leadership to this one, which knows the configuration of
   * that epoch.
   */
  private Configuration receiveTransfer() {
    Configuration led = Configuration.first(NAMES).ledBy("b");
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    replica.configurationRead(led);
    receive("b", new ReplicaMessage.TimeoutNow(1), SECOND);
    return led;
  }

  /** Removing a replica makes the register agree on the same configuration again. */
  @Test
  void theTransferTargetRetriesIfTheRegisterHasANewerConfigurationOfTheSameLeader() {
    Configuration led = receiveTransfer();

    replica.replaced(led.ledBy("a"), false);
    assertThat(host.reads).isOne();
    replica.configurationRead(led.withNextEpoch());
    assertThat(host.replaces).isEqualTo(2);
    replica.replaced(led.withNextEpoch().ledBy("a"), true);

    assertThat(replica.role()).isEqualTo(Replica.Role.CAMPAIGNING);
    assertThat(replica.configuration().epoch()).isEqualTo(3);
  }

  @Test
  void theTransferTargetDoesNotRetryIfAnotherOneIsToLead() {
    Configuration led = receiveTransfer();

    replica.replaced(led.ledBy("a"), false);
    replica.configurationRead(led.ledBy("c"));

    assertThat(host.replaces).isOne();
  }

  @Test
  void theTransferTargetDoesNotRetryOnceItHearsAnotherLeader() {
    Configuration led = receiveTransfer();

    receive("c", new ReplicaMessage.VoteRequest(2), SECOND);
    replica.replaced(led.ledBy("a"), false);

    assertThat(host.reads).isZero();
  }

  /** Two connections may deliver messages of one replica in another order. */
  @Test
  void earlierMessagesOfTheOldLeaderDoNotEndATransfer() {
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    receive("b", new ReplicaMessage.TimeoutNow(1), SECOND);

    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    receive("b", new ReplicaMessage.ReadIndexRequest(1, 1), SECOND);
    replica.configurationRead(Configuration.first(NAMES).ledBy("b"));

    assertThat(host.replaces).isOne();
  }

  @Test
  void anUnawareNewVoterTakesOver() {
    Replica learner = new Replica("a", Configuration.first(List.of("b", "c")), log, host, 0);
    learner.receive("b", new ReplicaMessage.Group(3, 1, 0, 3, List.of(), 1), SECOND);

    learner.receive("b", new ReplicaMessage.TimeoutNow(3), SECOND);
    learner.configurationRead(new Configuration(3, "b", List.of("b", "c", "a")));

    assertThat(host.replaces).isOne();
  }

  @Test
  void anEndingReplicaDeclinesATransfer() {
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    host.sent.clear();
    replica.retire();

    receive("b", new ReplicaMessage.TimeoutNow(1), SECOND);

    assertThat(host.sent).containsExactly(new ReplicaMessage.TransferDeclined(1));
    assertThat(host.reads + host.replaces).isZero();
  }

  @Test
  void anEndingLeaderAsksTheNextVoterIfTheFirstDeclines() {
    commitOne();
    acknowledge("c", 2, 2 * SECOND);
    host.sent.clear();
    assertThat(replica.transferLeadership()).isTrue();

    receive("c", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);
    receive("b", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);
    receive("b", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);

    assertThat(host.sent)
        .containsExactly(new ReplicaMessage.TimeoutNow(1), new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("c");
    assertThat(replica.isDeposed() || replica.isDeclined()).isFalse();
    receive("c", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);
    assertThat(replica.isDeclined()).isTrue();
    assertThat(host.reads).isOne();
  }

  @Test
  void anEndingLeaderAsksTheNextVoterIfTheFirstDoesNotAnswer() {
    commitOne();
    acknowledge("c", 2, 2 * SECOND);
    host.sent.clear();
    assertThat(replica.transferLeadership()).isTrue();
    replica.tick(2 * SECOND);
    replica.tick(2 * SECOND + SECOND / 4);
    assertThat(host.sent).containsExactly(new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("b");

    replica.tick(2 * SECOND + SECOND / 2);
    replica.tick(4 * SECOND);

    assertThat(host.sent)
        .containsExactly(new ReplicaMessage.TimeoutNow(1), new ReplicaMessage.TimeoutNow(1));
    assertThat(host.lastTo).isEqualTo("c");
    assertThat(replica.isDeposed() || replica.isDeclined()).isFalse();
  }

  @Test
  void anEndingLeaderAsksNoOtherOnceAVoterCampaigns() {
    commitOne();
    acknowledge("c", 2, 2 * SECOND);
    assertThat(replica.transferLeadership()).isTrue();
    replica.tick(2 * SECOND);
    receive("b", new ReplicaMessage.VoteRequest(2), 2 * SECOND);
    host.sent.clear();

    replica.tick(4 * SECOND);

    assertThat(host.sent).isEmpty();
    assertThat(replica.isDeposed()).isTrue();
  }

  @Test
  void aLeaderLeadsAgainIfAllDeclineItsTransfer() {
    commitOne();
    assertThat(replica.transferLeadershipTo("b")).isTrue();
    int reads = host.reads;
    int replaces = host.replaces;

    receive("b", new ReplicaMessage.TransferDeclined(1), 2 * SECOND);
    replica.configurationRead(replica.configuration());

    assertThat(host.reads).isEqualTo(reads + 1);
    assertThat(host.replaces).isEqualTo(replaces + 1);
    replica.replaced(replica.configuration().ledBy("a"), true);
    receive("b", new ReplicaMessage.Vote(2, log.end()), 2 * SECOND);
    receive("b", new ReplicaMessage.Acknowledged(2, 2, true, LogSpace.ENOUGH), 2 * SECOND);
    replica.tick(2 * SECOND);
    assertThat(replica.role()).isEqualTo(Replica.Role.LEADING);
  }

  /** It would transfer leadership again and again. */
  @Test
  void aSurplusLeaderDoesNotLeadAgainIfAllDecline() {
    win();
    replica.place(List.of("b", "c"));
    acknowledge("b", 1, 4 * SECOND);
    replica.tick(4 * SECOND);
    replica.configurationRead(replica.configuration());
    assertThat(host.leavesTo).isEqualTo("b");
    assertThat(replica.transferLeadershipTo("b")).isTrue();
    assertThat(host.lastTo).isEqualTo("b");
    int reads = host.reads;

    receive("b", new ReplicaMessage.TransferDeclined(1), 4 * SECOND);

    assertThat(host.reads).isEqualTo(reads);
  }

  /** Of equal logs the first by name is waited for. */
  @Test
  void votersDoNotWaitForAnEndingReplica() {
    receive("b", new ReplicaMessage.Group(1, 1, 0, 1, List.of(), 1), SECOND);
    replica.retire();
    host.sent.clear();

    replica.tick(9 * SECOND);
    receive("c", new ReplicaMessage.PreVoteRequest(1, 7), 9 * SECOND);

    assertThat(host.sent).containsExactly(new ReplicaMessage.PreVote(1, 7, true, LogEnd.EMPTY));
  }

  @Test
  void votersDoNotWaitForAReplicaThatTransferredLeadership() {
    commitOne();
    replica.transferLeadership();
    host.sent.clear();

    receive("c", new ReplicaMessage.PreVoteRequest(1, 7), 9 * SECOND);

    assertThat(host.sent).containsExactly(new ReplicaMessage.PreVote(1, 7, true, LogEnd.EMPTY));
  }

  private long groupsWithRecords() {
    return host.sent.stream()
        .filter(ReplicaMessage.Group.class::isInstance)
        .filter(message -> !((ReplicaMessage.Group) message).records().isEmpty())
        .count();
  }

  /** Its log is of another partition: the records of both have the same numbers. */
  @Test
  void anUnreplicatedPartitionsReplicaRefusesAPartitionRecreatedWithoutIt() {
    Configuration first = new Configuration(100, "a", List.of("a"));
    log.promiseEpoch(100);
    log.append(List.of(new LogRecord((byte) 1, new byte[1])));
    Replica once = new Replica("a", first, log, host, 0);
    once.configurationRead(Configuration.first(List.of("a")));

    assertThatThrownBy(() -> once.configurationRead(new Configuration(101, "b", List.of("b"))))
        .isInstanceOf(ReplicaInvariantException.class)
        .hasMessageContaining("recreated without it, with [b]");
  }

  @Test
  void acceptsAConfigurationWithItselfOrWithoutRecords() {
    Configuration first = new Configuration(100, "a", List.of("a"));
    log.promiseEpoch(100);
    Replica once = new Replica("a", first, log, host, 0);
    once.configurationRead(new Configuration(101, "b", List.of("b")));
    assertThat(once.configuration().epoch()).isEqualTo(101);
    log.append(List.of(new LogRecord((byte) 1, new byte[1])));
    Replica own = new Replica("a", first, log, host, 0);

    own.configurationRead(new Configuration(102, "a", List.of("a", "b")));

    assertThat(own.configuration().epoch()).isEqualTo(102);
  }

  /** The register has agreed on the leader's request, but the answer was lost. */
  @Test
  void aLeaderLearnsOfItsOwnConfigurationFromTheVoterThatItAdded() {
    win();
    int reads = host.reads;
    int replaces = host.replaces;
    List<String> four = List.of("a", "b", "c", "d");

    receive("d", new ReplicaMessage.PreVoteRequest(2, 1), 4 * SECOND);
    replica.configurationRead(new Configuration(2, "a", four));

    assertThat(host.reads).isEqualTo(reads + 1);
    assertThat(host.replaces).isEqualTo(replaces + 1);
    receive("b", new ReplicaMessage.PreVoteRequest(1, 1), 8 * SECOND);
    assertThat(host.reads).isEqualTo(reads + 1);
  }

  /** Ticks, and answers reads of the register with its content. */
  private void listen(Replica waiting, long from, long to) {
    for (long second = from; second < to; second++) {
      int before = host.reads;
      waiting.tick(second * SECOND);
      if (host.reads > before) {
        waiting.configurationRead(Configuration.first(NAMES));
      }
    }
  }

  @Test
  void aVoterWithoutContactReadsTheRegisterLessAndLessOftenUntilItHearsALeader() {
    listen(replica, 1, 3_600);
    int alone = host.reads;
    assertThat(alone).isBetween(50, 80);

    receive("b", new ReplicaMessage.ReadIndexRequest(0, 0), 3_600 * SECOND);
    listen(replica, 3_600, 3_620);

    assertThat(host.reads - alone).isBetween(3, 5);
  }

  @Test
  void aLearnerWithoutALeaderReadsTheRegisterLessAndLessOften() {
    Replica learner = new Replica("d", Configuration.first(NAMES), log, host, 0);

    listen(learner, 1, 3_600);

    assertThat(host.reads).isBetween(50, 80);
  }
}
