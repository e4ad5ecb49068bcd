package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.PartitionReplica;
import io.github.stablecut.internal.partition.ReplicaStatus;
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
 * The copies that come to a node, and those that leave it, when a plan gives each partition another
 * number of them. Confined to one thread at a time.
 *
 * <p>Invariants: a plan that gives the node a copy is written after the copy's directory, so that
 * one that is missing was lost. A copy begins with a promise of the epoch that the register has, of
 * which it is no voter: whatever an earlier copy of its name has promised or acknowledged and
 * forgot, no leader of an earlier epoch counts on it. A copy is deleted once the register does not
 * name it, and will not, as only who is named may be asked for what it has.
 */
final class ReplicaPlacement {
  private static final Logger LOG = Log.of(ReplicaPlacement.class);

  /** So long the register is waited for. */
  private static final long PATIENCE_SECONDS = 8;

  private static final long FIRST_PAUSE_NANOS = 1_000_000_000;

  /** So long others may take to enter themselves before it is told that they are waited for. */
  private static final long UNTOLD_NANOS = 10_000_000_000L;

  /**
   * Why not all copies can be made.
   *
   * @param isPassing whether it is over once others have done what they are about to do
   */
  private record Obstacle(String words, boolean isPassing) {}

  private final NodeDirectory directory;
  private final NodeReplicas replicas;
  private final ConfigurationRegister register;
  private final LongSupplier nanoTime;

  /** Each read of the register is an entry of its log: what comes to nothing waits ever longer. */
  private final Backoff preparing = new Backoff(FIRST_PAUSE_NANOS);

  private final Backoff removing = new Backoff(FIRST_PAUSE_NANOS);

  /** How often the register had come back when it was looked last. */
  private long comebacks;

  /** The plan for which copies were made last. */
  private Optional<NodePlan> tried = Optional.empty();

  private long triedSince;

  /** What was said last of copies that can't be made. */
  private String told = "";

  /** How often the register was read. */
  private long reads;

  /** When the register was read last for copies that are too many and have failed. */
  private long failedAsked;

  ReplicaPlacement(NodeDirectory directory, NodeReplicas replicas) {
    this(directory, replicas, replicas.register(), System::nanoTime);
  }

  /**
   * @param register the copies' own
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
   * Makes the directories of the copies that the node is to have, and of its part of the register
   * if it is to keep that. Waits for the register. After a failure for the same plan nothing is
   * done for a while.
   *
   * @return whether all are there; if not, the caller calls again
   */
  boolean prepare(NodePlan newer) {
    long now = nanoTime.getAsLong();
    if (!tried.equals(Optional.of(newer))) {
      tried = Optional.of(newer);
      triedSince = now;
      retry();
    }
    endPausesIfRegisterIsBack();
    if (!preparing.isOver(now)) {
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

  /** Once; of what may be over soon not at once. */
  private void tell(Obstacle obstacle) {
    boolean isLong = nanoTime.getAsLong() - triedSince >= UNTOLD_NANOS;
    String what = obstacle.isPassing ? "waits" : obstacle.words;
    if (!what.equals(told) && (isLong || !obstacle.isPassing)) {
      LOG.warn(
          "node {} can't make all its new replicas of partitions, and retries: {}",
          replicas.node(),
          obstacle.words);
      told = what;
    }
  }

  /** What has failed is tried again at once. */
  void retry() {
    preparing.end();
    told = "";
  }

  /** What has failed for want of the register need not wait any longer. */
  private void endPausesIfRegisterIsBack() {
    long now = replicas.register().comebacks();
    if (now > comebacks) {
      comebacks = now;
      preparing.end();
      removing.end();
    }
  }

  /** Makes those that can be made; says why others can't. */
  private Optional<Obstacle> make(NodePlan newer) {
    Set<Integer> unentered = new TreeSet<>();
    Set<Integer> voting = new TreeSet<>();
    try {
      Set<Integer> missing = new TreeSet<>(newer.given(replicas.node()));
      for (int number : missing) {
        // What a move has left, which is no copy.
        directory.moved().delete(number);
      }
      missing.removeAll(directory.numbers());
      for (int number : missing) {
        Configuration configuration = known(number, newer);
        if (newer.epochsAfter() > 0 && isNobodys(configuration)) {
          var unused = unentered.add(number);
        } else if (!create(number, configuration)) {
          var unused = voting.add(number);
        } else {
          // It goes on: the next pause is short again.
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
      return Optional.of(new Obstacle("it was interrupted", true));
    }
  }

  /** The layout now, without a look if it is known that no owner has entered itself yet. */
  private Configuration known(int number, NodePlan newer)
      throws ExecutionException, TimeoutException, InterruptedException {
    RatisRegister own = replicas.register();
    boolean isUnentered =
        newer.epochsAfter() > 0 && own.isFollowing() && own.known(number).isEmpty();
    return isUnentered ? Configuration.first(newer.replicas().get(number)) : read(number);
  }

  /** Makes a copy, unless one of its name votes, which is lost. */
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

  /** A node without copies may have had some, in a directory that is lost. */
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
              "of the partitions %s a replica votes that has the name of this node's replicas: start the node with an empty directory"
                  .formatted(voting),
              false));
    }
    return unentered.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Obstacle(
                "it waits for the nodes that have the partitions %s, and have still to enter themselves in the configuration register: start those that are away"
                    .formatted(unentered),
                true));
  }

  /**
   * Deletes the copies that the node is not to have, once they don't vote. Waits. Asks the register
   * only of those that are not voters any more as far as is known here.
   */
  void removeSurplus() {
    long now = nanoTime.getAsLong();
    endPausesIfRegisterIsBack();
    if (!removing.isOver(now)) {
      return;
    }
    boolean asksFailed = now - failedAsked >= Backoff.MAX_NANOS;
    failedAsked = asksFailed ? now : failedAsked;
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
      LOG.info(
          "replicas of partitions that are too many can't be deleted, which is retried: {}",
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Whether the newest layout that is known here names a copy: a voter that hears no leader looks
   * itself whether it still is one, unless it has failed.
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

  /** Whether nobody has entered itself as a leader yet. */
  private static boolean isNobodys(Configuration configuration) {
    return configuration.epoch() == 0;
  }

  /** Whether a layout needs the copy here, or may. */
  private boolean names(Configuration configuration) {
    return isNobodys(configuration)
        || configuration.voters().stream()
            .anyMatch(one -> Configuration.nodeOf(one).equals(replicas.node()));
  }

  /** One whose disk has hung is looked at as all others once that goes on. */
  private void reopen(int number) {
    try {
      boolean unused = replicas.close(number);
    } finally {
      if (!replicas.isClosing(number)) {
        replicas.open(number);
      }
    }
  }

  /**
   * Deletes a copy that does not vote. A leader may have asked a moment ago that it does, as it has
   * what is committed: that comes into force before the register has agreed on another next layout,
   * or not at all. Who leads later does not know the copy, which is closed. One that is not deleted
   * is opened again, also if it could not be closed properly.
   */
  void remove(int number, Configuration configuration)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    try {
      if (replicas.close(number)
          && await(register.replace(number, configuration.withNextEpoch()))) {
        directory.deleteReplica(number);
        LOG.info("node {} has no replica of partition {} any more", replicas.node(), number);
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

  /** What the register answers. */
  static <T> T await(CompletionStage<T> asked)
      throws ExecutionException, TimeoutException, InterruptedException {
    return asked.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
