package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaStatus;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.thread.Backoff;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * Creates a node's new replicas and deletes its surplus ones when a plan changes the number of
 * replicas. Confined to one thread at a time.
 *
 * <p>Invariants: a plan that gives the node a replica is written after the replica's directory, so
 * a missing directory means that it was lost. A new replica begins with a promise of the register's
 * current epoch, in which it is no voter. No leader of an earlier epoch counts on what an earlier
 * replica of its name has promised or acknowledged and then lost. A replica is deleted once the
 * configuration register does not name it, and will not: only named replicas may be asked for their
 * data.
 */
final class ReplicaPlacement {
  private static final Logger LOG = Log.of(ReplicaPlacement.class);

  /** The time to wait for the configuration register. */
  private static final long PATIENCE_SECONDS = 8;

  private static final long FIRST_PAUSE_NANOS = 1_000_000_000;

  /** The time that other nodes may take to enter themselves before the wait is logged. */
  private static final long UNTOLD_NANOS = 10_000_000_000L;

  /**
   * The reason why not all replicas can be created.
   *
   * @param isPassing whether it resolves itself once other nodes have completed their pending steps
   */
  private record Obstacle(String words, boolean isPassing) {}

  private final NodeDirectory directory;
  private final NodeReplicas replicas;
  private final ConfigurationRegister register;
  private final LongSupplier nanoTime;

  /** Each read of the configuration register is an entry in its log: failed attempts back off. */
  private final Backoff preparing = new Backoff(FIRST_PAUSE_NANOS);

  private final Backoff removing = new Backoff(FIRST_PAUSE_NANOS);

  /** The number of the register's recoveries at the last check. */
  private long recoveries;

  /** The plan for which replicas were last created. */
  private Optional<NodePlan> tried = Optional.empty();

  private long triedSinceNanos;

  /** The last logged obstacle. */
  private String loggedObstacle = "";

  /** The number of reads of the register. */
  private long reads;

  /** The time at which the register was last read for surplus replicas that have failed. */
  private long failedAsked;

  ReplicaPlacement(NodeDirectory directory, NodeReplicas replicas) {
    this(directory, replicas, replicas.register(), System::nanoTime);
  }

  /**
   * @param register the configuration register of the replicas
   */
  ReplicaPlacement(
      NodeDirectory directory,
      NodeReplicas replicas,
      ConfigurationRegister register,
      LongSupplier nanoTime) {
    this.directory = directory;
    this.replicas = replicas;
    this.register = register;
    this.nanoTime = nanoTime;
    this.failedAsked = nanoTime.getAsLong();
  }

  /**
   * Creates the directories of the node's new replicas, and of its part of the configuration
   * register if it is to keep that. Waits for the register. After a failure for the same plan,
   * nothing is done for a while.
   *
   * @return whether all exist; if not, the caller retries
   */
  boolean prepare(NodePlan newer) {
    long nowNanos = nanoTime.getAsLong();
    if (!tried.equals(Optional.of(newer))) {
      tried = Optional.of(newer);
      triedSinceNanos = nowNanos;
      retry();
    }
    endPausesIfRegisterIsBack();
    if (!preparing.isOver(nowNanos)) {
      return false;
    }
    long before = reads;
    Optional<Obstacle> obstacle = make(newer);
    if (obstacle.isEmpty() || reads == before) {
      preparing.end();
    }
    obstacle.ifPresent(
        one -> {
          preparing.begin(nanoTime.getAsLong());
          tell(one);
        });
    return obstacle.isEmpty();
  }

  /** Logs an obstacle once; one that may pass soon only after a delay. */
  private void tell(Obstacle obstacle) {
    boolean isLong = nanoTime.getAsLong() - triedSinceNanos >= UNTOLD_NANOS;
    String what = obstacle.isPassing ? "waits" : obstacle.words;
    if (!what.equals(loggedObstacle) && (isLong || !obstacle.isPassing)) {
      LOG.warn(
          "node {} can't create all its new replicas, and retries: {}",
          replicas.node(),
          obstacle.words);
      loggedObstacle = what;
    }
  }

  /** Retries failed work at once. */
  void retry() {
    preparing.end();
    loggedObstacle = "";
  }

  /** Ends the pauses of work that failed because the register was unavailable. */
  private void endPausesIfRegisterIsBack() {
    long current = replicas.register().recoveries();
    if (current > recoveries) {
      recoveries = current;
      preparing.end();
      removing.end();
    }
  }

  /** Creates the replicas that can be created; returns why others can't. */
  private Optional<Obstacle> make(NodePlan newer) {
    Set<Integer> unentered = new TreeSet<>();
    Set<Integer> voting = new TreeSet<>();
    try {
      Set<Integer> missing = new TreeSet<>(newer.assignedTo(replicas.node()));
      for (int number : missing) {
        // A move may have left files, which are no replica.
        directory.moved().delete(number);
      }
      missing.removeAll(directory.numbers());
      for (int number : missing) {
        Configuration configuration = known(number, newer);
        if (newer.epochsAfter() > 0 && isNobodys(configuration)) {
          unentered.add(number);
        } else if (!create(number, configuration)) {
          voting.add(number);
        } else {
          // There is progress: the next pause is short again.
          preparing.end();
        }
      }
      if (unentered.isEmpty() && voting.isEmpty()) {
        createRegister(newer);
      }
      return obstacle(unentered, voting);
    } catch (IOException | ExecutionException | TimeoutException e) {
      return Optional.of(new Obstacle(e.toString(), false));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(new Obstacle("interrupted", true));
    }
  }

  /**
   * Returns the current configuration, without a read if it is known that no owner has entered
   * itself yet.
   */
  private Configuration known(int number, NodePlan newer)
      throws ExecutionException, TimeoutException, InterruptedException {
    RatisRegister own = replicas.register();
    boolean isUnentered =
        newer.epochsAfter() > 0 && own.isFollowing() && own.known(number).isEmpty();
    return isUnentered ? Configuration.first(newer.replicas().get(number)) : read(number);
  }

  /** Creates a replica, unless a lost one of its name still votes. */
  private boolean create(int number, Configuration configuration) throws IOException {
    renewIfFirst();
    if (configuration.voters().contains(replicas.self())) {
      return false;
    }
    directory.createReplica(number, configuration.epoch());
    return true;
  }

  private void createRegister(NodePlan newer) throws IOException {
    if (newer.registerNodes().contains(replicas.node()) && !directory.register().exists()) {
      renewIfFirst();
      directory.register().create(RatisRegister.JOINS);
    }
  }

  /** Renames the replicas of a node that has none: it may have had some in a lost directory. */
  private void renewIfFirst() throws IOException {
    if (directory.numbers().isEmpty() && !directory.register().exists()) {
      String replica = Configuration.renewedName(replicas.node(), NodeDirectory.newStoreId());
      directory.renew(replica);
      replicas.rename(replica);
    }
  }

  private static Optional<Obstacle> obstacle(Set<Integer> unentered, Set<Integer> voting) {
    if (!voting.isEmpty()) {
      return Optional.of(
          new Obstacle(
              "partitions %s have a voter with the name of this node's replicas: start the node with an empty directory"
                  .formatted(voting),
              false));
    }
    return unentered.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Obstacle(
                "it waits until the owners of the partitions %s are in the configuration register: start the owners that are down"
                    .formatted(unentered),
                true));
  }

  /**
   * Deletes the node's surplus replicas once they don't vote. Waits. Reads the register only for
   * replicas that are no longer voters as far as is known here.
   */
  void removeSurplus() {
    long nowNanos = nanoTime.getAsLong();
    endPausesIfRegisterIsBack();
    if (!removing.isOver(nowNanos)) {
      return;
    }
    boolean asksFailed = nowNanos - failedAsked >= Backoff.MAX_NANOS;
    failedAsked = asksFailed ? nowNanos : failedAsked;
    try {
      for (int number : replicas.surplus()) {
        if (replicas.isClosing(number)) {
          reopen(number);
        } else if (!mayBeNamed(number, asksFailed)) {
          Configuration configuration = read(number);
          if (!names(configuration)) {
            remove(number, configuration);
          }
        }
      }
      removing.end();
    } catch (IOException | ExecutionException | TimeoutException | StablecutException e) {
      removing.begin(nanoTime.getAsLong());
      LOG.info("can't delete surplus replicas; retrying: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns whether the newest configuration that is known here names a replica. A voter that hears
   * no leader checks by itself whether it is still one, unless it has failed.
   */
  private boolean mayBeNamed(int number, boolean asksFailed) {
    Optional<ReplicaStatus> status = replicas.find(number).map(PartitionReplica::status);
    if (asksFailed && status.filter(one -> one.failure().isPresent()).isPresent()) {
      return false;
    }
    return Stream.concat(
            status.map(ReplicaStatus::configuration).stream(),
            replicas.register().known(number).stream())
        .max(Comparator.comparingLong(Configuration::epoch))
        .filter(this::names)
        .isPresent();
  }

  /** Returns whether no replica has entered itself as leader yet. */
  private static boolean isNobodys(Configuration configuration) {
    return configuration.epoch() == 0;
  }

  /** Returns whether a configuration needs the replica here, or may need it. */
  private boolean names(Configuration configuration) {
    return isNobodys(configuration)
        || configuration.voters().stream()
            .anyMatch(one -> Configuration.nodeOf(one).equals(replicas.node()));
  }

  /**
   * Reopens a replica whose disk hung, once the disk works again; it is then checked like all
   * others.
   */
  private void reopen(int number) {
    try {
      replicas.close(number);
    } finally {
      if (!replicas.isClosing(number)) {
        replicas.open(number);
      }
    }
  }

  /**
   * Deletes a replica that does not vote. A leader may have just asked for its vote, as the replica
   * has all that is committed. That change takes effect before the register has agreed on another
   * next configuration, or never. A later leader does not know the replica, which is closed. A
   * replica that is not deleted is reopened, even if it could not be closed properly.
   */
  void remove(int number, Configuration configuration)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    try {
      if (replicas.close(number)
          && await(register.replace(number, configuration.withNextEpoch()))) {
        directory.deleteReplica(number);
        LOG.info("node {} no longer has a replica of partition {}", replicas.node(), number);
      }
    } finally {
      if (!replicas.isClosing(number) && directory.numbers().contains(number)) {
        replicas.open(number);
      }
    }
  }

  private Configuration read(int number)
      throws ExecutionException, TimeoutException, InterruptedException {
    reads++;
    return await(register.read(number));
  }

  /** Awaits an answer of the configuration register. */
  @CanIgnoreReturnValue
  static <T> T await(CompletionStage<T> stage)
      throws ExecutionException, TimeoutException, InterruptedException {
    return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
