package io.github.stablecut.cluster.internal.register;

import static io.github.stablecut.cluster.internal.register.RegisterRequests.ELSEWHERE;
import static io.github.stablecut.cluster.internal.register.RegisterRequests.OUTCOME;
import static io.github.stablecut.cluster.internal.register.RegisterRequests.tagged;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The register of layouts, as a node sees it that keeps it. Reads are entries of its log, too: a
 * leader that was deposed answers none. Thread-safe.
 *
 * <p>Invariant: a compare-and-set is said to have won only if the entry of this very call has
 * changed the layout. It is sent to all nodes, of which the leader takes it ({@link RegisterCall}):
 * if two did, as one has followed the other, the later entry changes nothing, and the call may be
 * said to have lost.
 */
public final class RatisRegister implements ConfigurationRegister, AutoCloseable {
  /**
   * The file that says that a node began to keep the register when others did already: it knows
   * nobody until these let it in.
   */
  public static final String JOINS = "JOINS";

  /** The file that says that a node began to keep it as one of the first, while it served. */
  public static final String BEGINS = "BEGINS";

  private static final Logger LOG = Log.of(RatisRegister.class);

  private static final byte COMMAND = 9;

  /** A node that has lost its part of the register takes its place again; its new name follows. */
  private static final byte JOIN = 10;

  /** A node asks whether the register goes on without it, for certain. */
  private static final byte PART = 11;

  /** The leader asks a node that is to keep the register to ask to be let in; its name follows. */
  private static final byte INVITE = 12;

  /** A node asks the leader who keeps the register. */
  private static final byte KEEPERS = 13;

  /** So often a node asks to be let in before it says so. */
  private static final int JOINS_UNTOLD = 8;

  /** So often a node asks to be let in. */
  private static final long JOIN_MILLIS = 2_000;

  /** One may wait for a disk that hangs. */
  private static final int CALLING_THREADS = 2;

  /**
   * The nodes that keep the register, the same on each of them.
   *
   * @param first those that began to; empty if that is not known, as the plan was changed since
   * @param now those that are to
   */
  public record Keepers(List<String> first, List<String> now) {
    /** Copies the lists. */
    public Keepers {
      first = List.copyOf(first);
      now = List.copyOf(now);
    }
  }

  private volatile String self;
  private final String node;
  private final IntFunction<List<String>> first;
  private final List<String> firstNodes;
  private volatile List<String> nodes;

  /** Others that kept it before, or have said that they lead it. */
  private final Set<String> others = new ConcurrentSkipListSet<>();

  /** Who has said last that it leads the register, and that this node is to keep it. */
  private volatile String inviter = "";

  private final AtomicBoolean isJoining = new AtomicBoolean();
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private final AtomicBoolean isWatching = new AtomicBoolean();
  private final RegisterWatch watch = new RegisterWatch();

  private final RegisterChannel channel;

  private final Path directory;

  /** Empty on a node that does not keep the register. */
  private volatile Optional<RegisterServer> server = Optional.empty();

  /** What the newest of these servers has applied. */
  private volatile Optional<ConfigurationStateMachine> machine = Optional.empty();

  private final RaftGroupId group;
  private final VotedTerms terms;
  private final RegisterRequests requests;

  /** Asks again: nothing else waits for the disk of this part of the register, or for a network. */
  private final Executor threads = threads();

  private volatile boolean isClosed;

  /**
   * Starts this node's part of the register, if it is one of those that keep it; the others ask
   * these. Returns before the nodes have found each other.
   *
   * @param self the name of this node's copies ({@link Configuration}): who has lost its votes is
   *     another one, which the others let in once it has what they know
   * @param keepers the names of those that keep the register
   * @param store identifies the cluster, so that those of two do not mix
   * @param first the voters of a partition that nobody has led yet
   * @param directory this node's part of it, which is created if it is missing
   * @throws StoreIoException if the directory can't be used
   */
  public static RatisRegister start(
      String self,
      Keepers keepers,
      long store,
      IntFunction<List<String>> first,
      Path directory,
      RegisterChannel channel) {
    RatisRegister register = new RatisRegister(self, keepers, store, first, directory, channel);
    register.keepIfPlaced();
    return register;
  }

  private RatisRegister(
      String self,
      Keepers keepers,
      long store,
      IntFunction<List<String>> first,
      Path directory,
      RegisterChannel channel) {
    this.self = self;
    this.node = Configuration.nodeOf(self);
    this.firstNodes = keepers.first;
    this.nodes = keepers.now;
    this.first = first;
    this.directory = directory;
    this.channel = channel;
    this.group = RaftGroupId.valueOf(new UUID(store, 0));
    this.terms = new VotedTerms(directory, part());
    this.requests = new RegisterRequests(group);
  }

  /** They end by themselves when there is nothing to do. */
  private static Executor threads() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            CALLING_THREADS,
            CALLING_THREADS,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> Threads.daemon("register-call", task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private void keepIfPlaced() {
    if (server.isPresent() || isClosed || !(nodes.contains(node) || hasPart())) {
      return;
    }
    try {
      server = Optional.of(RegisterServer.start(group, this::newServer));
      // Also one of the first: the others may have gone on without it meanwhile.
      join();
    } catch (IOException e) {
      throw new StoreIoException(
          "the configuration register in %s can't be opened: %s; remove the cause, and start the node again"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }

  /** Whether there is a part of it: it may be needed, also if others are to keep it by now. */
  private boolean hasPart() {
    return Files.exists(part());
  }

  private Path part() {
    return directory.resolve(group.getUuid().toString());
  }

  /**
   * Whether the others kept the register already when this node's part of it was made, or may have:
   * they have agreed on a change of the plan, so a majority of the first ones has it.
   */
  private boolean isLate() {
    return !node.equals(self)
        || !firstNodes.contains(node)
        || Files.exists(directory.resolve(JOINS));
  }

  private RaftServer newServer(Runnable failed) throws IOException {
    Files.createDirectories(directory);
    terms.open();
    ConfigurationStateMachine opened = new ConfigurationStateMachine(failed);
    machine = Optional.of(opened);
    return RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(self))
        .setGroup(
            RaftGroup.valueOf(
                group,
                // Who knows no others votes for nobody until they let it in. One that was here
                // before
                // knows them from its log.
                isLate()
                    ? List.<RaftPeer>of()
                    : firstNodes.stream().map(RegisterPeers::peer).toList()))
        .setStateMachine(opened)
        .setProperties(RegisterProperties.in(directory))
        .setParameters(ChannelRpc.parameters(channel, terms))
        .setOption(RaftStorage.StartupOption.RECOVER)
        .build();
  }

  /** Asks the others to be let in, until they have done so. */
  private void join() {
    if (isJoining.compareAndSet(false, true)) {
      join(0);
    }
  }

  private void join(int tried) {
    if (isClosed || !nodes.contains(node)) {
      isJoining.set(false);
      return;
    }
    CompletableFuture<byte[]> asked;
    try {
      List<String> others = asked().stream().filter(name -> !name.equals(node)).toList();
      byte[] call = tagged(JOIN, self.getBytes(UTF_8));
      asked = RegisterCall.start(others, to -> ask(to, call), threads);
    } catch (RuntimeException | Error e) {
      // The leader invites again and again.
      isJoining.set(false);
      throw e;
    }
    var unused = asked.whenComplete((answer, failed) -> joined(failed, tried));
  }

  private void joined(@Nullable Throwable failed, int tried) {
    if (failed == null) {
      inviter = "";
      isJoining.set(false);
      return;
    }
    if (tried == JOINS_UNTOLD) {
      LOG.warn(
          "node {} is to keep the configuration register, and is not let in, which it goes on to"
              + " ask for: {}",
          node,
          failed.toString());
    }
    try {
      DeferredExecutor.execute(
          () -> join(tried + 1), JOIN_MILLIS, threads, refusal -> isJoining.set(false));
    } catch (RuntimeException | Error e) {
      isJoining.set(false);
      throw e;
    }
  }

  /** Asks all, unless the answer to the last time is outstanding. */
  private void askUnlessAsked(
      AtomicBoolean isAsked,
      List<String> keepers,
      byte[] call,
      BiConsumer<byte @Nullable [], @Nullable Throwable> answered) {
    if (isAsked.compareAndSet(false, true)) {
      CompletableFuture<byte[]> asked;
      try {
        asked = RegisterCall.start(keepers, to -> ask(to, call), threads);
      } catch (RuntimeException | Error e) {
        isAsked.set(false);
        throw e;
      }
      var unused =
          asked.whenComplete(
              (answer, failed) -> {
                isAsked.set(false);
                answered.accept(answer, failed);
              });
    }
  }

  /** Those that keep the register, or may, as far as this node knows. */
  private List<String> asked() {
    return Stream.concat(nodes.stream(), others.stream()).distinct().toList();
  }

  @Override
  public CompletionStage<Configuration> read(int partition) {
    return execute(new RegisterCommand(partition, Optional.empty()))
        .thenApply(
            outcome -> outcome.now().orElseGet(() -> Configuration.first(first.apply(partition))));
  }

  @Override
  public CompletionStage<Boolean> replace(int partition, Configuration next) {
    return execute(new RegisterCommand(partition, Optional.of(next)))
        .thenApply(outcome -> outcome.hasWon() || isOwn(next, outcome));
  }

  /**
   * Whether the layout that this node asked for is in force, although the command had no effect: a
   * command is sent again to another keeper if one is lost, and may then be executed twice. Only
   * the leader of a layout asks for it, or it has the same layout in force.
   */
  private boolean isOwn(Configuration next, RegisterCommand.Outcome outcome) {
    return next.leader().equals(self) && outcome.now().equals(Optional.of(next));
  }

  /**
   * The changes of the plan on which the nodes have agreed, in order.
   *
   * @param own those that this node's plan has: the register lacks those that were made before it
   */
  public CompletionStage<List<String>> changes(List<String> own) {
    return execute(AgreedChanges.read())
        .thenApply(outcome -> AgreedChanges.all(own, outcome.now()));
  }

  /**
   * As {@link #changes}, as far as this node's part of the register has applied them: there may be
   * more. Those of its plan on a node that does not keep it, or whose plan lacks some. Costs
   * nothing.
   */
  public List<String> known(List<String> own) {
    return AgreedChanges.all(
        own,
        machine
            .flatMap(applied -> applied.known(ConfigurationStateMachine.CHANGES))
            .filter(agreed -> AgreedChanges.isFollowedBy(own, agreed)));
  }

  /**
   * The layout of a partition, as far as this node's part of the register has applied it: there may
   * be a newer one. Empty if it has none, or on a node that does not keep it. Costs nothing.
   */
  public Optional<Configuration> known(int partition) {
    return machine.flatMap(applied -> applied.known(partition));
  }

  /** Why a change of the plan can't be agreed on; empty if it can. */
  public static Optional<String> refusal(String change) {
    return AgreedChanges.refusal(change);
  }

  /**
   * Agrees on one more.
   *
   * @param all with the new one, which is the last
   * @return whether it was agreed on by this call, as nobody had agreed on another one meanwhile
   */
  public CompletionStage<Boolean> agreeOnChange(List<String> all) {
    return execute(AgreedChanges.next(all.size(), all.get(all.size() - 1)))
        .thenApply(RegisterCommand.Outcome::hasWon);
  }

  /** The node's copies have another name, and so has its part of the register; it has none yet. */
  public void rename(String replica) {
    self = replica;
  }

  /**
   * From now on other nodes keep the register, as some were replaced, or more of them do. If this
   * node is a new one, its directory says that it joins ({@link #JOINS}).
   *
   * @throws StoreIoException if this node's part of it can't be opened
   */
  public synchronized void place(List<String> newest) {
    boolean isAgain = server.isPresent() && !nodes.contains(node) && newest.contains(node);
    var unused = others.addAll(nodes);
    nodes = List.copyOf(newest);
    if (isAgain) {
      // The others may have put it out already.
      join();
    }
    keepIfPlaced();
  }

  private CompletableFuture<RegisterCommand.Outcome> execute(RegisterCommand command) {
    byte[] call = tagged(COMMAND, command.toBytes());
    return RegisterCall.start(asked(), to -> ask(to, call), threads)
        .thenApply(RegisterCommand.Outcome::read);
  }

  /**
   * Asks a node for the outcome of a call; it has none if it does not lead the register. One that
   * leads it and is not to keep it any more is not asked otherwise: it is when another one names
   * it, as it lets those in that are to.
   */
  private CompletionStage<Optional<byte[]>> ask(String to, byte[] call) {
    return tell(to, call)
        .thenCompose(
            answer -> {
              String told = new String(answer, 1, answer.length - 1, UTF_8);
              String leader = Configuration.nodeOf(told);
              boolean isOutside = answer[0] == ELSEWHERE && !told.isEmpty();
              return isOutside && !nodes.contains(leader) && !leader.equals(to)
                  ? tell(leader, call).thenApply(RatisRegister::outcome)
                  : CompletableFuture.completedFuture(outcome(answer));
            });
  }

  private CompletionStage<byte[]> tell(String to, byte[] call) {
    return to.equals(node) ? lead(call) : channel.call(to, call);
  }

  private static Optional<byte[]> outcome(byte[] answer) {
    return answer[0] == OUTCOME
        ? Optional.of(Arrays.copyOfRange(answer, 1, answer.length))
        : Optional.empty();
  }

  /** Does what only the leader of the register does; others say that they do not. */
  private CompletableFuture<byte[]> lead(byte[] call) {
    byte[] content = Arrays.copyOfRange(call, 1, call.length);
    return switch (call[0]) {
      case JOIN -> orInviter(admit(new String(content, UTF_8)));
      case PART -> orInviter(confirmPart(new String(content, UTF_8)));
      case INVITE -> invited(new String(content, UTF_8));
      case KEEPERS -> tellKeepers();
      default -> orInviter(submit(content));
    };
  }

  /** Who is not let in yet names the one that has asked it to come. */
  private CompletableFuture<byte[]> orInviter(CompletableFuture<byte[]> answer) {
    return answer.exceptionallyCompose(
        failed ->
            inviter.isEmpty()
                ? CompletableFuture.failedFuture(failed)
                : CompletableFuture.completedFuture(tagged(ELSEWHERE, inviter.getBytes(UTF_8))));
  }

  /** Answers a node that is not to keep the register any more, once it goes on without it. */
  private CompletableFuture<byte[]> confirmPart(String gone) {
    try {
      if (server.isEmpty() || gone.equals(self) || peers().contains(gone)) {
        return CompletableFuture.failedFuture(notKept());
      }
      return settled();
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Completes if the nodes have agreed on those that keep the register now: changes nothing. */
  private CompletableFuture<byte[]> settled() throws IOException {
    return requests.configure(keeper(), peers().all());
  }

  /**
   * Lets a node in that has lost its part of the register, instead of what it was before, or that
   * is to keep it from now on.
   */
  private CompletableFuture<byte[]> admit(String newcomer) {
    if (server.isEmpty() || !nodes.contains(Configuration.nodeOf(newcomer))) {
      return CompletableFuture.failedFuture(notKept());
    }
    try {
      RegisterPeers now = peers();
      return now.contains(newcomer)
          ? settled()
          : requests.configure(keeper(), now.with(newcomer, nodes));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** A node that is to keep it may not know who does, after a restart. */
  private CompletableFuture<byte[]> invited(String leader) {
    if (server.isEmpty() || !nodes.contains(node)) {
      return CompletableFuture.failedFuture(notKept());
    }
    inviter = leader;
    var unused = others.add(Configuration.nodeOf(leader));
    join();
    return CompletableFuture.completedFuture(tagged(OUTCOME, new byte[0]));
  }

  private CompletableFuture<byte[]> tellKeepers() {
    try {
      if (server.isEmpty()) {
        return CompletableFuture.failedFuture(notKept());
      }
      if (isLeading()) {
        return CompletableFuture.completedFuture(
            tagged(OUTCOME, RegisterWatch.toBytes(peers().told())));
      }
      RaftPeerId leader = keeper().getDivision(group).getInfo().getLeaderId();
      String name = leader == null ? inviter : leader.toString();
      return CompletableFuture.completedFuture(tagged(ELSEWHERE, name.getBytes(UTF_8)));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void watch() {
    askUnlessAsked(
        isWatching,
        asked(),
        tagged(KEEPERS, new byte[0]),
        (told, failed) -> {
          if (told != null) {
            watch.told(told);
          } else {
            watch.untold();
          }
        });
  }

  /**
   * How often the register has answered again after it had not, as far as {@link #look} has seen:
   * what has failed for want of it may be tried again.
   */
  public long comebacks() {
    return watch.comebacks();
  }

  /** Who keeps the register, as the leader has told when this node looked last. Never waits. */
  public RegisterLocation place() {
    RegisterLocation place = watch.place(nodes);
    return nodes.contains(node) && !isFollowing() ? RegisterWatch.without(place, node) : place;
  }

  /** Whether this node's part of the register knows a leader: it has soon what is agreed on. */
  public boolean isFollowing() {
    try {
      return server.isPresent() && keeper().getDivision(group).getInfo().getLeaderId() != null;
    } catch (IOException e) {
      return false;
    }
  }

  private RegisterPeers peers() throws IOException {
    return RegisterPeers.of(keeper(), group);
  }

  /**
   * If this node leads the register, those are asked to come that are to keep it, and, once all of
   * them are in, one more is out that is not to any more; one that is out ends its part, once the
   * others go on without it. To be called now and then; may wait.
   */
  public synchronized void look() {
    watch();
    try {
      if (server.isEmpty()) {
        return;
      }
      RegisterPeers now = peers();
      if (!nodes.contains(node) && !now.nodes().contains(node)) {
        askWhetherOut(now);
      } else if (isLeading()) {
        now.missing(nodes).forEach(this::invite);
        Optional<List<RaftPeer>> fewer = now.without(nodes);
        if (fewer.isPresent()) {
          var unused = requests.configure(keeper(), fewer.get());
        }
      }
    } catch (IOException e) {
      // It is being closed, or opened again: looked at later.
      return;
    }
  }

  private void invite(String newcomer) {
    var unused = channel.call(newcomer, tagged(INVITE, self.getBytes(UTF_8)));
  }

  private void askWhetherOut(RegisterPeers now) {
    askUnlessAsked(
        isAsking,
        Stream.concat(asked().stream(), now.nodes().stream()).distinct().toList(),
        tagged(PART, self.getBytes(UTF_8)),
        (answer, failed) -> {
          if (failed == null) {
            endIfOut();
          }
        });
  }

  private synchronized void endIfOut() {
    if (server.isPresent() && !nodes.contains(node)) {
      RegisterServer ended = server.get();
      server = Optional.empty();
      machine = Optional.empty();
      ended.close();
    }
  }

  private CompletableFuture<byte[]> submit(byte[] command) {
    try {
      return requests.submit(keeper(), command);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Answers a call of another node's {@link RegisterChannel}. May wait for the disk.
   *
   * @param to whom the call is for
   * @return the answer; completes exceptionally if there is none
   */
  public CompletionStage<byte[]> handle(String to, byte[] request) {
    if (request.length > 0 && request[0] >= COMMAND && request[0] <= KEEPERS) {
      return lead(request);
    }
    // Ratis would tell of each call that comes while it closes as of an error.
    if (isClosed || server.isEmpty() || !to.equals(self) || request.length == 0) {
      return CompletableFuture.failedFuture(notKept());
    }
    byte[] message = Arrays.copyOfRange(request, 1, request.length);
    try {
      return CompletableFuture.completedFuture(
          ChannelRpc.answer(keeper(), terms, request[0], message));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private IOException notKept() {
    return new IOException(
        "%s does not keep that part of the configuration register".formatted(self));
  }

  /** Whether this node has a part of the register, which may be needed. */
  public boolean isOpen() {
    return server.isPresent();
  }

  /** Whether this node leads the register. */
  public boolean isLeading() {
    try {
      return server.isPresent() && keeper().getDivision(group).getInfo().isLeader();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    server.ifPresent(RegisterServer::close);
    requests.close();
  }

  /** The nodes that keep the register now, as this one knows; none if it does not keep it. */
  Set<String> keepers() {
    try {
      return server.isEmpty() ? Set.of() : peers().nodes();
    } catch (IOException e) {
      return Set.of();
    }
  }

  /**
   * What Ratis runs here now.
   *
   * @throws IOException if this node does not keep the register any more
   */
  RaftServer keeper() throws IOException {
    return server.orElseThrow(this::notKept).server();
  }
}
