package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.ReplicaShortage;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.Closeables;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.VoteStorage;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.PlanChange;
import io.github.stablecut.internal.recovery.VoteFile;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongConsumer;
import org.slf4j.Logger;

/**
 * The replicas of partitions on this node, and its part of the configuration register. Their
 * messages to other nodes are requests like any others. Thread-safe.
 */
public final class NodeReplicas implements AutoCloseable {
  private static final Logger LOG = Log.of(NodeReplicas.class);

  /** A call of the configuration register fails if it is not answered within this time. */
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(3);

  /** Handles the partitions that this node's replicas lead. */
  interface LeadershipListener {
    /** Returns the context of a partition in an epoch. */
    PartitionContext context(long epoch);

    /** A partition is led here, and serves. Returns soon. */
    void begins(Partition partition, long epoch);

    /**
     * A partition is no longer led here. A later partition object of the same number is not
     * affected.
     */
    void ends(Partition partition);

    /**
     * Drains a partition that another replica will soon lead.
     *
     * @param atMost how long to wait for transactions that the partition coordinates
     */
    void drains(int partition, Duration atMost);

    /** Returns whether a partition is served here, replicated or not. */
    boolean serves(int partition);
  }

  /**
   * The parts of a node that its replicas share.
   *
   * @param plan the node's plan when it was opened
   */
  record Node(
      NodePlan plan,
      NodeDirectory directory,
      StoreOptions options,
      PendingRequests requests,
      LeadershipListener leading) {}

  private final Node node;
  private volatile NodePlan plan;

  /** The name of this node's replicas. */
  private volatile String self;

  private final RatisRegister register;
  private final Map<Integer, PartitionReplica> replicas = new ConcurrentSkipListMap<>();

  private final LeadershipHandover successors;
  private final ReplicaCloser closing = new ReplicaCloser();

  /** The epochs of partitions that were unreplicated when they were opened, by partition. */
  private final Map<Integer, Long> firstEpochs = new ConcurrentHashMap<>();

  private final ReplicaMessenger messages;

  private final Object lifecycle = new Object();

  @GuardedBy("lifecycle")
  private boolean isClosed;

  private NodeReplicas(Node node) {
    this.node = node;
    this.plan = node.plan;
    this.self = node.plan.replica();
    this.messages =
        new ReplicaMessenger(node.plan, node.requests, TrafficBudgets.replicaMessageBytes());
    node.directory.register().check(node.plan);
    this.register =
        RatisRegister.start(
            self,
            new RatisRegister.Keepers(node.plan.firstRegisterNodes(), node.plan.registerNodes()),
            node.plan.storeId(),
            partition -> node.plan.replicas().get(partition),
            node.directory.register().path(),
            this::callRegister);
    this.successors = new LeadershipHandover(replicas, node.leading, register);
  }

  /**
   * Opens all replicas in the node's directory. They take part at once; a replica that leads
   * reports it to {@link LeadershipListener}.
   */
  static NodeReplicas open(Node node) {
    NodeReplicas opened = new NodeReplicas(node);
    try {
      for (int number : node.directory.numbers()) {
        opened.open(number);
      }
      return opened;
    } catch (IOException e) {
      opened.close();
      throw new StoreIoException(
          "the replicas of partitions can't be listed: %s; remove the cause, and restart the node"
              .formatted(IoReason.of(e)),
          e);
    } catch (RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  /**
   * Starts only this node's part of the configuration register: {@link #open(int)} then opens the
   * replicas one by one.
   */
  static NodeReplicas begin(Node node) {
    return new NodeReplicas(node);
  }

  /** Opens a replica in the node's directory. */
  void open(int number) {
    VoteFile promise = node.directory.promise(number);
    VoteStorage promises =
        new VoteStorage() {
          @Override
          public long read() {
            return promise.read();
          }

          @Override
          public long shortened() {
            return promise.shortened();
          }

          @Override
          public void write(long epoch, long shortened) {
            promise.write(epoch, shortened);
          }
        };
    synchronized (lifecycle) {
      if (!isClosed) {
        PartitionReplica replica =
            PartitionReplica.start(
                self,
                first(number, promise),
                options(number),
                promises,
                register,
                new NodeReplicaContext(this, node, number));
        // Also for a partition that was unreplicated until now: there may be a newer plan already.
        replica.place(plan.replicas().get(number));
        replicas.put(number, replica);
      }
    }
  }

  /**
   * Returns the initial configuration that a replica assumes. A partition that was unreplicated,
   * and has promised nothing since, is the only voter, whatever the plan says.
   */
  private Configuration first(int number, VoteFile promise) {
    long after = plan.epochsAfter();
    if (after == 0 || !hasPromisedOnly(promise, after)) {
      return Configuration.first(plan.replicas().get(number));
    }
    try {
      firstEpochs.put(number, node.directory.epochOf(number));
    } catch (IOException | StablecutException e) {
      LOG.warn("can't announce partition {} before it leads: {}", number, e.toString());
    }
    return new Configuration(after, self, List.of(self));
  }

  private static boolean hasPromisedOnly(VoteFile promise, long epoch) {
    try {
      return promise.read() == epoch;
    } catch (StablecutException e) {
      // The replica reports the failure itself when it is opened.
      return false;
    }
  }

  PartitionOptions options(int number) {
    return PartitionFiles.options(
        node.options.withPartitions(node.plan.owners().size()), node.plan.dataCentre(), number);
  }

  ReplicaMessenger messages() {
    return messages;
  }

  /** Transfers the leadership of a partition that this node leads to another node. */
  void giveWay(int number, String to) {
    find(number).ifPresent(replica -> successors.giveWay(number, replica, to));
  }

  /**
   * Delivers a message to a replica. Never waits.
   *
   * @param done called once the replica has handled the message, or it is lost; not called if this
   *     throws
   */
  public void receive(int partition, Request.ToReplica request, Runnable done) {
    PartitionReplica replica = replicas.get(partition);
    if (replica != null && request.to().equals(self)) {
      replica.receive(request.from(), request.message(), done);
    } else {
      done.run();
    }
  }

  private CompletionStage<byte[]> callRegister(String to, byte[] call) {
    return node.requests
        .askNode(
            Configuration.nodeOf(to),
            0,
            new Request.ToRegister(to, Bytes.wrap(call)),
            REGISTER_TIMEOUT)
        .thenApply(NodeReplicas::answer);
  }

  private static byte[] answer(Reply reply) {
    if (PendingRequests.checked(reply) instanceof Reply.Answer answer) {
      return answer.encoded().toArray();
    }
    throw new PartitionUnavailableException("the configuration register got the answer " + reply);
  }

  /** Answers another node's call of the configuration register. May wait for the disk. */
  public CompletionStage<Reply> answer(Request.ToRegister request) {
    return register
        .handle(request.to(), request.call().toArray())
        .handle(
            (answer, failure) ->
                failure == null ? new Reply.Answer(Bytes.wrap(answer)) : failed(failure));
  }

  private static Reply failed(Object why) {
    return new Reply.Failed(
        new PartitionUnavailableException(
            "a call of the configuration register was not answered: %s".formatted(why)));
  }

  /** Returns the name of the node. */
  String node() {
    return plan.name();
  }

  /** Returns the name of the node's replicas. */
  String self() {
    return self;
  }

  /** Renames the node's replicas, of which there are none yet. */
  void rename(String replica) {
    self = replica;
    register.rename(replica);
  }

  /**
   * Applies a newer plan to the replicas and the configuration register. Opens replicas that the
   * directory has gained since, except those whose partition is still served unreplicated.
   */
  void place(NodePlan newest) throws IOException {
    plan = newest;
    messages.place(newest);
    replicas.forEach((number, replica) -> replica.place(newest.replicas().get(number)));
    try {
      register.changeKeepers(newest.registerNodes());
    } finally {
      openClosed();
    }
  }

  private void openClosed() throws IOException {
    for (int number : closed()) {
      if (!node.leading.serves(number)) {
        open(number);
      }
    }
  }

  /**
   * Returns the partitions in the node's directory without an open replica here. Excludes
   * partitions that moves have given away, whose files are deleted later.
   */
  Set<Integer> closed() throws IOException {
    Set<Integer> numbers = new TreeSet<>(node.directory.numbers());
    numbers.removeAll(replicas.keySet());
    for (int number : List.copyOf(numbers)) {
      if (node.directory.moved().findMark(number).isPresent()) {
        numbers.remove(number);
      }
    }
    return numbers;
  }

  /**
   * Returns the partitions whose replicas are open here although the plan gives the node none.
   * Includes those whose replicas are still being closed, even if the plan restores them.
   */
  Set<Integer> surplus() {
    Set<Integer> numbers = new TreeSet<>(replicas.keySet());
    Set<Integer> assigned = plan.assignedTo(plan.name());
    numbers.removeIf(number -> assigned.contains(number) && !isClosing(number));
    return numbers;
  }

  /**
   * Returns the replicas that were unreplicated partitions until now, with their epochs, and have
   * not yet entered themselves in the configuration register. No other node has their partitions.
   */
  Map<Integer, Long> firstReplicas() {
    Map<Integer, Long> found = new TreeMap<>(firstEpochs);
    found.keySet().removeIf(number -> find(number).filter(this::isFirst).isEmpty());
    return found;
  }

  private boolean isFirst(PartitionReplica replica) {
    return replica.status().configuration().epoch() == plan.epochsAfter();
  }

  /**
   * Closes a replica, which stops voting. Waits a moment.
   *
   * @return false if it is still closing, as its disk hangs: then the caller retries
   */
  @CanIgnoreReturnValue
  boolean close(int number) {
    PartitionReplica replica = replicas.get(number);
    boolean isClosed = false;
    try {
      isClosed = replica == null || closing.close(number, replica);
    } finally {
      if (isClosed || !closing.isClosing(number)) {
        replicas.remove(number);
      }
    }
    return isClosed;
  }

  /** Returns whether a replica is still being closed after {@link #close(int)}. */
  boolean isClosing(int number) {
    return closing.isClosing(number);
  }

  /** Returns whether this node keeps the configuration register, or is to keep it. */
  public boolean keepsRegister() {
    return register.isOpen() || plan.registerNodes().contains(plan.name());
  }

  /** Returns the nodes that keep the configuration register. */
  public RegisterLocation registerPlace() {
    return register.location();
  }

  /** Returns the agreed changes of a plan, as far as this node's part of the register knows. */
  List<PlanChange> knownChanges(NodePlan own) {
    return PlanChange.parseAll(register.known(PlanChange.toTexts(own.changes())));
  }

  /** Returns the replica of a partition; empty if there is none here. */
  Optional<PartitionReplica> find(int partition) {
    return Optional.ofNullable(replicas.get(partition));
  }

  /** Returns the configuration register. */
  RatisRegister register() {
    return register;
  }

  /**
   * Returns digests of the newest checkpoints of the active replicas. Takes as long as reading all
   * of them.
   *
   * @param progress receives the number of objects of a partition read so far, and may throw
   */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return replicas.entrySet().stream()
        .flatMap(
            one ->
                one.getValue().digest(progress).stream()
                    .map(
                        digest ->
                            ReplicaDescriptions.digest(
                                one.getKey(), one.getValue().status(), digest)))
        .toList();
  }

  /**
   * Returns how many replicas vote and are up-to-date: they lead, or have all that their leaders
   * have committed.
   */
  int upToDate() {
    return (int)
        replicas.values().stream().filter(replica -> replica.status().isUpToDate()).count();
  }

  /** Returns the state of the replicas for operators, by partition. */
  public List<PartitionReplicaLocation> places() {
    return replicas.entrySet().stream()
        .map(
            one ->
                ReplicaDescriptions.location(
                    one.getKey(), one.getValue().status(), messages.sentBytes(one.getKey()).sum()))
        .toList();
  }

  /** Returns the partitions led here that may have fewer working replicas than configured. */
  List<ReplicaShortage> shortages() {
    return places().stream().flatMap(place -> place.shortage().stream()).toList();
  }

  /** Transfers leadership to other nodes at shutdown; the replicas are closed afterwards. */
  void handOver() {
    successors.handOver();
  }

  /** Transfers leadership to the replicas that the plan names first, as far as possible. */
  void evenOut() {
    successors.evenOut(plan);
  }

  /**
   * Transfers leadership of a partition to the replica that the plan names first, if one is due.
   * Waits.
   */
  void balance() {
    successors.balance(plan);
  }

  /** Closes the replicas: leaders commit pending writes while other nodes can still answer. */
  @Override
  public void close() {
    synchronized (lifecycle) {
      isClosed = true;
    }
    Closeables.each(
        List.<Runnable>of(this::closeReplicas, replicas::clear, register::close), Runnable::run);
  }

  private void closeReplicas() {
    Closeables.each(replicas.entrySet(), one -> closing.end(one.getKey(), one.getValue()));
  }
}
