package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.cluster.PartitionReplicaDigest;
import io.github.stablecut.cluster.PartitionReplicaLocation;
import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.cluster.internal.register.RatisRegister;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.partition.Closeables;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionContext;
import io.github.stablecut.internal.partition.PartitionOptions;
import io.github.stablecut.internal.partition.PartitionReplica;
import io.github.stablecut.internal.partition.ReplicaContext;
import io.github.stablecut.internal.partition.ReplicaDigest;
import io.github.stablecut.internal.partition.ReplicaStatus;
import io.github.stablecut.internal.partition.VoteStorage;
import io.github.stablecut.internal.recovery.FencedDirectory;
import io.github.stablecut.internal.recovery.IncomingCheckpoint;
import io.github.stablecut.internal.recovery.NodeDirectory;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.recovery.VoteFile;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.Replica;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.PartitionFiles;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.LogSpace;
import io.github.stablecut.journal.SegmentStore;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;

/**
 * The copies of partitions on this node, and its part of the register of layouts; what they tell
 * those of other nodes are requests like any others. Thread-safe.
 */
public final class NodeReplicas implements AutoCloseable {
  private static final Logger LOG = Log.of(NodeReplicas.class);

  /** A call of the register that is not answered for so long has failed. */
  private static final Duration REGISTER_TIMEOUT = Duration.ofSeconds(3);

  /** What a node does with those of its copies that lead. */
  interface Leading {
    /** What a partition needs in an epoch. */
    PartitionContext context(long epoch);

    /** A partition is led here, and serves. Returns soon. */
    void begins(Partition partition, long epoch);

    /** It is led here no more; another one of that number may be, which goes on. */
    void ends(Partition partition);

    /**
     * It will soon be led elsewhere.
     *
     * @param atMost waits so long for what it does for other partitions
     */
    void drains(int partition, Duration atMost);

    /** Whether a partition is served here, also as one that exists once. */
    boolean serves(int partition);
  }

  /**
   * What the copies of a node share.
   *
   * @param plan the node's, when it was opened
   */
  record Node(
      NodePlan plan,
      NodeDirectory directory,
      StoreOptions options,
      PendingRequests requests,
      Leading leading) {}

  private final Node node;
  private volatile NodePlan plan;

  /** The name of its copies. */
  private volatile String self;

  private final RatisRegister register;
  private final Map<Integer, PartitionReplica> replicas = new ConcurrentSkipListMap<>();

  private final LeadershipHandover successors;
  private final ReplicaCloser closing = new ReplicaCloser();

  /** The epochs of those that existed once when they were opened, by partition. */
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
   * Opens all copies in the node's directory. They take part at once; whoever leads a partition
   * tells so ({@link Leading}).
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
          "the replicas of partitions can't be listed: %s; remove the cause, and start the node again"
              .formatted(IoReason.of(e)),
          e);
    } catch (RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  /**
   * Starts this node's part of the register only: {@link #open(int)} opens one copy after the
   * other.
   */
  static NodeReplicas begin(Node node) {
    return new NodeReplicas(node);
  }

  /** Opens one in the node's directory. */
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
                new Place(number));
        // Also one that existed once until now: there may be a newer plan already.
        replica.place(plan.replicas().get(number));
        var unused = replicas.put(number, replica);
      }
    }
  }

  /**
   * The layout that a copy knows at first. One that existed once, and has promised nothing since,
   * is the only voter, whatever the plan says.
   */
  private Configuration first(int number, VoteFile promise) {
    long after = plan.epochsAfter();
    if (after == 0 || !hasPromisedOnly(promise, after)) {
      return Configuration.first(plan.replicas().get(number));
    }
    try {
      var unused = firstEpochs.put(number, node.directory.epochOf(number));
    } catch (IOException | StablecutException e) {
      LOG.warn("partition {} is not told of before it leads: {}", number, e.toString());
    }
    return new Configuration(after, self, List.of(self));
  }

  private static boolean hasPromisedOnly(VoteFile promise, long epoch) {
    try {
      return promise.read() == epoch;
    } catch (StablecutException e) {
      // The copy says so itself when it is opened.
      return false;
    }
  }

  private PartitionOptions options(int number) {
    return PartitionFiles.options(
        node.options.withPartitions(node.plan.owners().size()), node.plan.dataCentre(), number);
  }

  /** What one copy uses of the node. */
  private final class Place implements ReplicaContext {
    private final int number;
    private final IncomingCheckpoint incoming;
    private final AtomicBoolean isLeaving = new AtomicBoolean();

    Place(int number) {
      this.number = number;
      this.incoming =
          node.directory.incoming(
              number,
              (first, epoch) ->
                  Journal.begin(
                      files().journal(), options(number).journal().options(), first, epoch));
    }

    private PartitionFiles files() {
      NodeDirectory directory = node.directory;
      try {
        return PartitionFiles.in(
            directory.journal(number),
            directory.checkpoints(number),
            node.options,
            directory.lock());
      } catch (IOException e) {
        throw new StoreIoException(
            "the replica of partition %d can't be opened: %s; remove the cause, and start the node again"
                .formatted(number, IoReason.of(e)),
            e);
      }
    }

    @Override
    public SegmentStore journal() {
      incoming.finish();
      SegmentStore journal = files().journal();
      node.directory.checkJournal(number, journal.segments().size());
      return journal;
    }

    @Override
    public Directory checkpoints() {
      return files().checkpoints();
    }

    @Override
    public Directory incoming() {
      try {
        return new FencedDirectory(DiskDirectory.existing(incoming.begin()), node.directory.lock());
      } catch (IOException e) {
        throw new StoreIoException(
            "the replica of partition %d can't get a checkpoint: %s; remove the cause"
                .formatted(number, IoReason.of(e)),
            e);
      }
    }

    @Override
    public void dropIncoming() {
      incoming.drop();
    }

    @Override
    public void install(long first, long epoch) {
      incoming.install(first, epoch);
    }

    @Override
    public void send(String to, ReplicaMessage message) {
      messages.send(
          number,
          new Request.ToReplica(self, to, message),
          () -> find(number).ifPresent(replica -> replica.refused(to)));
    }

    @Override
    public boolean isSending(String to) {
      return messages.isSending(number, to);
    }

    @Override
    public PartitionContext context(long epoch) {
      return node.leading.context(epoch);
    }

    @Override
    public void leads(Partition partition, long epoch) {
      LOG.info("node {} leads partition {} in epoch {}", self, number, epoch);
      node.leading.begins(partition, epoch);
    }

    @Override
    public void leave(String to) {
      if (isLeaving.getAndSet(true)) {
        return;
      }
      try {
        Threads.daemon("leave-" + number, () -> giveWay(to)).start();
      } catch (OutOfMemoryError e) {
        isLeaving.set(false);
        LOG.warn("partition {} does not give way yet, for want of a thread", number, e);
      }
    }

    private void giveWay(String to) {
      try {
        PartitionReplica replica = replicas.get(number);
        boolean unused = replica != null && successors.giveWay(number, replica, to);
      } finally {
        isLeaving.set(false);
      }
    }

    @Override
    public void follows(Partition led) {
      LOG.info("node {} leads partition {} no more", self, number);
      node.leading.ends(led);
    }
  }

  /**
   * A message for a copy has arrived. Never waits.
   *
   * @param done called once the copy has handled it, or it is lost; not if this throws
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
    throw new PartitionUnavailableException("the register was answered with " + reply);
  }

  /** Answers a call of the register of another node. May wait for the disk. */
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

  /** The name of the node. */
  String node() {
    return plan.name();
  }

  /** The name of its copies. */
  String self() {
    return self;
  }

  /** The copies, of which the node has none yet, have another name than the node. */
  void rename(String replica) {
    self = replica;
    register.rename(replica);
  }

  /**
   * Other nodes are to have copies from now on, and to keep the register. Opens those that this
   * node has in its directory since; none that is served still as one that exists once.
   */
  void place(NodePlan newest) throws IOException {
    plan = newest;
    messages.place(newest);
    replicas.forEach((number, replica) -> replica.place(newest.replicas().get(number)));
    try {
      register.place(newest.registerNodes());
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
   * The partitions in the node's directory of which no copy is open here, without those that moves
   * have given away, whose files are deleted later.
   */
  Set<Integer> closed() throws IOException {
    Set<Integer> numbers = new TreeSet<>(node.directory.numbers());
    numbers.removeAll(replicas.keySet());
    for (int number : List.copyOf(numbers)) {
      if (node.directory.moved().given(number).isPresent()) {
        numbers.remove(number);
      }
    }
    return numbers;
  }

  /**
   * The partitions of which copies are open here though the plan gives the node none, and those
   * whose copies are still to be closed, also if it gives them back.
   */
  Set<Integer> surplus() {
    Set<Integer> numbers = new TreeSet<>(replicas.keySet());
    Set<Integer> given = plan.given(plan.name());
    boolean unused = numbers.removeIf(number -> given.contains(number) && !isClosing(number));
    return numbers;
  }

  /**
   * The copies that existed once until now, with their epochs, and are still to enter themselves in
   * the register: nobody else has the partition.
   */
  Map<Integer, Long> firstReplicas() {
    Map<Integer, Long> found = new TreeMap<>(firstEpochs);
    boolean unused =
        found.keySet().removeIf(number -> find(number).filter(this::isFirst).isEmpty());
    return found;
  }

  private boolean isFirst(PartitionReplica replica) {
    return replica.status().configuration().epoch() == plan.epochsAfter();
  }

  /**
   * Closes a copy, which votes no more. Waits a moment.
   *
   * @return false if it is still there, as its disk hangs: then the caller calls again
   */
  boolean close(int number) {
    PartitionReplica replica = replicas.get(number);
    boolean isClosed = false;
    try {
      isClosed = replica == null || closing.close(number, replica);
    } finally {
      if (isClosed || !closing.has(number)) {
        var unused = replicas.remove(number);
      }
    }
    return isClosed;
  }

  /** Whether a copy is still to be closed, as {@link #close(int)} has said. */
  boolean isClosing(int number) {
    return closing.has(number);
  }

  /** Whether this node is one of those that keep the register, or that are to. */
  public boolean keepsRegister() {
    return register.isOpen() || plan.registerNodes().contains(plan.name());
  }

  /** Who keeps the register. */
  public RegisterLocation registerPlace() {
    return register.place();
  }

  /** The copy of a partition; empty if there is none here. */
  Optional<PartitionReplica> find(int partition) {
    return Optional.ofNullable(replicas.get(partition));
  }

  /** The register of layouts. */
  RatisRegister register() {
    return register;
  }

  /**
   * What their newest checkpoints hold, by partition, of those that take part. Takes as long as
   * reading all of them.
   *
   * @param progress hears how many objects of a partition were read so far, and may throw
   */
  public List<PartitionReplicaDigest> digests(LongConsumer progress) {
    return replicas.entrySet().stream()
        .flatMap(
            one ->
                one.getValue().digest(progress).stream()
                    .map(digest -> digest(one.getKey(), one.getValue().status(), digest)))
        .toList();
  }

  private static PartitionReplicaDigest digest(
      int number, ReplicaStatus status, ReplicaDigest found) {
    boolean isLeading = status.role() == Replica.Role.LEADING;
    return new PartitionReplicaDigest(
        number,
        status.name(),
        isLeading ? status.configuration().epoch() : 0,
        isLeading ? status.configuration().voters() : List.of(),
        found.at().equals(VectorClock.ZERO) ? "" : found.at() + "/" + found.frontier(),
        found.objects(),
        found.large(),
        found.hash());
  }

  /** How many of them vote, and lead or have all that their leaders have committed. */
  int upToDate() {
    return (int)
        replicas.values().stream().filter(replica -> replica.status().isUpToDate()).count();
  }

  /** What operators see of them, by partition. */
  public List<PartitionReplicaLocation> places() {
    return replicas.entrySet().stream()
        .map(
            one ->
                place(
                    one.getKey(), one.getValue().status(), messages.sentBytes(one.getKey()).sum()))
        .toList();
  }

  private static PartitionReplicaLocation place(int number, ReplicaStatus status, long sentBytes) {
    return new PartitionReplicaLocation(
        number,
        status.name(),
        switch (status.role()) {
          case FOLLOWING -> PartitionReplicaLocation.Role.FOLLOWS;
          case CAMPAIGNING, STARTING -> PartitionReplicaLocation.Role.TAKES_OVER;
          case LEADING -> PartitionReplicaLocation.Role.LEADS;
        },
        status.configuration().epoch(),
        status.configuration().leader(),
        status.configuration().voters(),
        status.next() - 1,
        status.first(),
        Math.min(status.next(), status.committed()) - 1,
        status.isComplete(),
        status.isLed(),
        status.followers().stream()
            .map(
                one ->
                    new PartitionReplicaLocation.Follower(
                        one.replica(), one.isVoter(), one.isSilent(), one.isFull(), one.behind()))
            .toList(),
        sentBytes,
        status.room() != LogSpace.ENOUGH,
        status.isShortened(),
        status.failure().orElse(""));
  }

  /** Other copies lead instead of those here, which are closed then, as the node ends. */
  void handOver() {
    successors.handOver();
  }

  /** Those copies lead that the plan names first, instead of those here, as far as they can. */
  void evenOut() {
    successors.evenOut(plan);
  }

  /** Closes the copies: leaders commit what they were given, while others can still answer. */
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
