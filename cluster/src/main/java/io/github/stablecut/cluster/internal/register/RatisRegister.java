package io.github.stablecut.cluster.internal.register;

import static io.github.stablecut.cluster.internal.register.RegisterRequests.NOT_LEADER;
import static io.github.stablecut.cluster.internal.register.RegisterRequests.OUTCOME;
import static io.github.stablecut.cluster.internal.register.RegisterRequests.tagged;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.RegisterLocation;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.thread.FireAndForget;
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
 * A node's access to the configuration register, and its part of it on a node that keeps it. Reads
 * are entries of the log too, so a deposed leader answers none. Thread-safe.
 *
 * <p>Invariant: a compare-and-set reports success only if an entry of this very call changed the
 * configuration. It goes to all nodes, and the leader takes it ({@link RegisterCall}). If two
 * successive leaders take it, the later entry changes nothing, and the call may report failure.
 */
public final class RatisRegister implements ConfigurationRegister, AutoCloseable {
  /**
   * The marker file of a node that joined an existing register: it knows no peers until these admit
   * it.
   */
  public static final String JOINS = "JOINS";

  /** The marker file of a node that was already serving when it became one of the first keepers. */
  public static final String BEGINS = "BEGINS";

  private static final Logger LOG = Log.of(RatisRegister.class);

  private static final byte COMMAND = 9;

  /** A node asks to join the register, perhaps after losing its part; its new name follows. */
  private static final byte JOIN = 10;

  /** A node asks for confirmation that the register has removed it; its name follows. */
  private static final byte CONFIRM_REMOVAL = 11;

  /** The leader invites a planned keeper to join; the leader's name follows. */
  private static final byte INVITE = 12;

  /** A node asks the leader which nodes keep the register. */
  private static final byte LIST_KEEPERS = 13;

  /** The number of attempts to join after which the node logs a warning. */
  private static final int JOIN_ATTEMPTS_BEFORE_WARNING = 8;

  /** The interval of attempts to join. */
  private static final long JOIN_INTERVAL_MILLIS = 2_000;

  /** More than one, as a thread may wait for a hanging disk. */
  private static final int CALL_THREADS = 2;

  /**
   * The nodes that keep the register; equal on all of them.
   *
   * @param first the first keepers; empty if unknown because the plan has changed since
   * @param planned the planned keepers
   */
  public record Keepers(List<String> first, List<String> planned) {
    /** Copies the lists. */
    public Keepers {
      first = List.copyOf(first);
      planned = List.copyOf(planned);
    }
  }

  private volatile String self;
  private final String node;
  private final IntFunction<List<String>> firstVoters;
  private final List<String> firstKeepers;
  private volatile List<String> plannedKeepers;

  /** Earlier keepers, and nodes that reported that they lead the register. */
  private final Set<String> otherKeepers = new ConcurrentSkipListSet<>();

  /** The replica name of the leader that last invited this node; empty if none has. */
  private volatile String inviter = "";

  private final AtomicBoolean isJoining = new AtomicBoolean();
  private final AtomicBoolean isConfirmingRemoval = new AtomicBoolean();
  private final AtomicBoolean isPolling = new AtomicBoolean();
  private final RegisterWatch watch = new RegisterWatch();

  private final RegisterChannel channel;

  private final Path directory;

  /** This node's part of the register; empty on a node that does not keep it. */
  private volatile Optional<RegisterServer> server = Optional.empty();

  /** The state that the newest server of this node has applied. */
  private volatile Optional<ConfigurationStateMachine> stateMachine = Optional.empty();

  private final RaftGroupId group;
  private final VotedTerms terms;
  private final RegisterRequests requests;

  /** Retries calls. Only these threads wait for the disk of this part of the register. */
  private final Executor callThreads = threads();

  private volatile boolean isClosed;

  /**
   * Starts this node's part of the register if the node is one of the keepers; other nodes query
   * these. Returns before the keepers have connected.
   *
   * @param self the name of this node's replicas ({@link Configuration}): a node that lost its
   *     votes gets a new name, and the others admit it once it has caught up
   * @param keepers the names of the keepers
   * @param store the id of the store, which keeps the registers of different clusters apart
   * @param first the voters of a partition that has had no leader yet, by partition
   * @param directory the directory of this node's part, which is created if it is missing
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
    register.startIfKeeper();
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
    this.firstKeepers = keepers.first;
    this.plannedKeepers = keepers.planned;
    this.firstVoters = first;
    this.directory = directory;
    this.channel = channel;
    this.group = RaftGroupId.valueOf(new UUID(store, 0));
    this.terms = new VotedTerms(directory, part());
    this.requests = new RegisterRequests(group);
  }

  /** A pool whose idle threads end. */
  private static Executor threads() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            CALL_THREADS,
            CALL_THREADS,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> Threads.daemon("register-call", task));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private void startIfKeeper() {
    if (server.isPresent() || isClosed || !(plannedKeepers.contains(node) || hasPart())) {
      return;
    }
    try {
      server = Optional.of(RegisterServer.start(group, this::newServer));
      // Even a first keeper asks to join: the others may have removed it meanwhile.
      join();
    } catch (IOException e) {
      throw new StoreIoException(
          "the configuration register in %s can't be opened: %s; remove the cause, and restart the node"
              .formatted(directory, IoReason.of(e)),
          e);
    }
  }

  /**
   * Whether this node has a part on disk, which the register may need even if others are planned.
   */
  private boolean hasPart() {
    return Files.exists(part());
  }

  private Path part() {
    return directory.resolve(group.getUuid().toString());
  }

  /**
   * Whether the register may have existed before this node's part of it. Then a majority of the
   * first keepers has agreed on a change of the plan.
   */
  private boolean mayBeLate() {
    return !node.equals(self)
        || !firstKeepers.contains(node)
        || Files.exists(directory.resolve(JOINS));
  }

  private RaftServer newServer(Runnable failed) throws IOException {
    Files.createDirectories(directory);
    terms.open();
    ConfigurationStateMachine opened = new ConfigurationStateMachine(failed);
    stateMachine = Optional.of(opened);
    return RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(self))
        .setGroup(
            RaftGroup.valueOf(
                group,
                // Without peers, a new part can't vote until the others admit it. An old one
                // knows its peers from its log.
                mayBeLate()
                    ? List.<RaftPeer>of()
                    : firstKeepers.stream().map(RegisterPeers::peer).toList()))
        .setStateMachine(opened)
        .setProperties(RegisterProperties.in(directory))
        .setParameters(ChannelRpc.parameters(channel, terms))
        .setOption(RaftStorage.StartupOption.RECOVER)
        .build();
  }

  /** Asks the keepers to admit this node, until they do. */
  private void join() {
    if (isJoining.compareAndSet(false, true)) {
      join(0);
    }
  }

  private void join(int attempts) {
    if (isClosed || !plannedKeepers.contains(node)) {
      isJoining.set(false);
      return;
    }
    CompletableFuture<byte[]> response;
    try {
      List<String> others = contacts().stream().filter(name -> !name.equals(node)).toList();
      byte[] call = tagged(JOIN, self.getBytes(UTF_8));
      response = RegisterCall.start(others, to -> ask(to, call), callThreads);
    } catch (RuntimeException | Error e) {
      // The leader repeats its invitation.
      isJoining.set(false);
      throw e;
    }
    FireAndForget.whenDone(response, (answer, failed) -> joined(failed, attempts));
  }

  private void joined(@Nullable Throwable failed, int attempts) {
    if (failed == null) {
      inviter = "";
      isJoining.set(false);
      return;
    }
    if (attempts == JOIN_ATTEMPTS_BEFORE_WARNING) {
      LOG.warn(
          "node {} should keep the configuration register but is not admitted yet; it keeps"
              + " asking: {}",
          node,
          failed.toString());
    }
    try {
      DeferredExecutor.execute(
          () -> join(attempts + 1),
          JOIN_INTERVAL_MILLIS,
          callThreads,
          refusal -> isJoining.set(false));
    } catch (RuntimeException | Error e) {
      isJoining.set(false);
      throw e;
    }
  }

  /** Calls the keepers, unless an earlier call of this kind is in flight. */
  private void callUnlessInFlight(
      AtomicBoolean isInFlight,
      List<String> keepers,
      byte[] call,
      BiConsumer<byte @Nullable [], @Nullable Throwable> onAnswer) {
    if (isInFlight.compareAndSet(false, true)) {
      CompletableFuture<byte[]> response;
      try {
        response = RegisterCall.start(keepers, to -> ask(to, call), callThreads);
      } catch (RuntimeException | Error e) {
        isInFlight.set(false);
        throw e;
      }
      FireAndForget.whenDone(
          response,
          (answer, failed) -> {
            isInFlight.set(false);
            onAnswer.accept(answer, failed);
          });
    }
  }

  /** The known nodes that keep the register, or may. */
  private List<String> contacts() {
    return Stream.concat(plannedKeepers.stream(), otherKeepers.stream()).distinct().toList();
  }

  @Override
  public CompletionStage<Configuration> read(int partition) {
    return execute(new RegisterCommand(partition, Optional.empty()))
        .thenApply(
            outcome ->
                outcome.now().orElseGet(() -> Configuration.first(firstVoters.apply(partition))));
  }

  @Override
  public CompletionStage<Boolean> replace(int partition, Configuration next) {
    return execute(new RegisterCommand(partition, Optional.of(next)))
        .thenApply(outcome -> outcome.hasWon() || isOwn(next, outcome));
  }

  /**
   * Whether the configuration that this node requested is in force although the command had no
   * effect. A command that is resent to another keeper may execute twice. Only the leader of a
   * configuration requests it, so an equal one is this node's.
   */
  private boolean isOwn(Configuration next, RegisterCommand.Outcome outcome) {
    return next.leader().equals(self) && outcome.now().equals(Optional.of(next));
  }

  /**
   * The agreed changes of the plan, in order.
   *
   * @param own the changes in this node's plan; the register lacks those that were made before it
   *     existed
   */
  public CompletionStage<List<String>> changes(List<String> own) {
    return execute(AgreedChanges.read())
        .thenApply(outcome -> AgreedChanges.combine(own, outcome.now()));
  }

  /**
   * Like {@link #changes}, but only those that this node's part of the register has applied; more
   * may exist. On a node that does not keep the register, or whose plan lacks earlier changes, the
   * changes of its own plan. A local read.
   */
  public List<String> known(List<String> own) {
    return AgreedChanges.combine(
        own,
        stateMachine
            .flatMap(applied -> applied.known(ConfigurationStateMachine.CHANGES))
            .filter(agreed -> AgreedChanges.hasAllBeforeRegister(own, agreed)));
  }

  /**
   * The configuration of a partition that this node's part of the register has applied; a newer one
   * may exist. Empty if it has none, or on a node that does not keep the register. A local read.
   */
  public Optional<Configuration> known(int partition) {
    return stateMachine.flatMap(applied -> applied.known(partition));
  }

  /** Returns the reason why the register can't store a change of the plan; empty if it can. */
  public static Optional<String> refusal(String change) {
    return AgreedChanges.refusal(change);
  }

  /**
   * Proposes one more change of the plan.
   *
   * @param all all changes, the new one last
   * @return whether this call made the change; false if another change came first
   */
  public CompletionStage<Boolean> agreeOnChange(List<String> all) {
    return execute(AgreedChanges.append(all.size(), all.get(all.size() - 1)))
        .thenApply(RegisterCommand.Outcome::hasWon);
  }

  /** Renames this node's replicas. Called before the node has a part of the register. */
  public void rename(String replica) {
    self = replica;
  }

  /**
   * Changes the planned keepers, after one was replaced or their number grew. If this node is a new
   * keeper, its directory has the file {@link #JOINS}.
   *
   * @throws StoreIoException if this node's part of it can't be opened
   */
  public synchronized void changeKeepers(List<String> newest) {
    boolean isReturning =
        server.isPresent() && !plannedKeepers.contains(node) && newest.contains(node);
    otherKeepers.addAll(plannedKeepers);
    plannedKeepers = List.copyOf(newest);
    if (isReturning) {
      // The others may have removed it already.
      join();
    }
    startIfKeeper();
  }

  private CompletableFuture<RegisterCommand.Outcome> execute(RegisterCommand command) {
    byte[] call = tagged(COMMAND, command.toBytes());
    return RegisterCall.start(contacts(), to -> ask(to, call), callThreads)
        .thenApply(RegisterCommand.Outcome::read);
  }

  /**
   * Asks a node for the outcome of a call; empty if it does not lead the register. If the node
   * names a leader that is not a planned keeper, asks that leader too: it still admits the planned
   * ones.
   */
  private CompletionStage<Optional<byte[]>> ask(String to, byte[] call) {
    return send(to, call)
        .thenCompose(
            answer -> {
              String content = new String(answer, 1, answer.length - 1, UTF_8);
              String leader = Configuration.nodeOf(content);
              boolean isOutside = answer[0] == NOT_LEADER && !content.isEmpty();
              return isOutside && !plannedKeepers.contains(leader) && !leader.equals(to)
                  ? send(leader, call).thenApply(RatisRegister::outcome)
                  : CompletableFuture.completedFuture(outcome(answer));
            });
  }

  private CompletionStage<byte[]> send(String to, byte[] call) {
    return to.equals(node) ? handleCall(call) : channel.call(to, call);
  }

  private static Optional<byte[]> outcome(byte[] answer) {
    return answer[0] == OUTCOME
        ? Optional.of(Arrays.copyOfRange(answer, 1, answer.length))
        : Optional.empty();
  }

  /** Handles a call. Most need the leader of the register; other nodes answer that they are not. */
  private CompletableFuture<byte[]> handleCall(byte[] call) {
    byte[] content = Arrays.copyOfRange(call, 1, call.length);
    return switch (call[0]) {
      case JOIN -> orRedirectToInviter(admit(new String(content, UTF_8)));
      case CONFIRM_REMOVAL -> orRedirectToInviter(confirmRemoval(new String(content, UTF_8)));
      case INVITE -> acceptInvitation(new String(content, UTF_8));
      case LIST_KEEPERS -> reportKeepers();
      default -> orRedirectToInviter(submit(content));
    };
  }

  /** Replaces a failure by the name of the leader that has invited this node, if there is one. */
  private CompletableFuture<byte[]> orRedirectToInviter(CompletableFuture<byte[]> answer) {
    return answer.exceptionallyCompose(
        failed ->
            inviter.isEmpty()
                ? CompletableFuture.failedFuture(failed)
                : CompletableFuture.completedFuture(tagged(NOT_LEADER, inviter.getBytes(UTF_8))));
  }

  /** Confirms to a former keeper that the register has removed it, once that is settled. */
  private CompletableFuture<byte[]> confirmRemoval(String former) {
    try {
      if (server.isEmpty() || former.equals(self) || peers().contains(former)) {
        return CompletableFuture.failedFuture(notKeptException());
      }
      return confirmKeepers();
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Completes once the current keepers are agreed on, by confirming the same ones. */
  private CompletableFuture<byte[]> confirmKeepers() throws IOException {
    return requests.configure(ratisServer(), peers().all());
  }

  /** Admits a planned keeper. A node that lost its part replaces its earlier self. */
  private CompletableFuture<byte[]> admit(String newcomer) {
    if (server.isEmpty() || !plannedKeepers.contains(Configuration.nodeOf(newcomer))) {
      return CompletableFuture.failedFuture(notKeptException());
    }
    try {
      RegisterPeers now = peers();
      return now.contains(newcomer)
          ? confirmKeepers()
          : requests.configure(ratisServer(), now.with(newcomer, plannedKeepers));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Handles an invitation: after a restart, a planned keeper may not know the current ones. */
  private CompletableFuture<byte[]> acceptInvitation(String leader) {
    if (server.isEmpty() || !plannedKeepers.contains(node)) {
      return CompletableFuture.failedFuture(notKeptException());
    }
    inviter = leader;
    otherKeepers.add(Configuration.nodeOf(leader));
    join();
    return CompletableFuture.completedFuture(tagged(OUTCOME, new byte[0]));
  }

  private CompletableFuture<byte[]> reportKeepers() {
    try {
      if (server.isEmpty()) {
        return CompletableFuture.failedFuture(notKeptException());
      }
      if (isLeading()) {
        return CompletableFuture.completedFuture(
            tagged(OUTCOME, RegisterWatch.toBytes(peers().report())));
      }
      RaftPeerId leader = ratisServer().getDivision(group).getInfo().getLeaderId();
      String name = leader == null ? inviter : leader.toString();
      return CompletableFuture.completedFuture(tagged(NOT_LEADER, name.getBytes(UTF_8)));
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void pollKeepers() {
    callUnlessInFlight(
        isPolling,
        contacts(),
        tagged(LIST_KEEPERS, new byte[0]),
        (report, failed) -> {
          if (report != null) {
            watch.recordReport(report);
          } else {
            watch.recordFailure();
          }
        });
  }

  /**
   * Returns the number of times that the register became available, as far as {@link
   * #reconcileKeepers} has observed. Operations that failed without it may be retried.
   */
  public long recoveries() {
    return watch.recoveries();
  }

  /** The keepers, as the leader last reported them to this node. Never blocks. */
  public RegisterLocation location() {
    RegisterLocation location = watch.location(plannedKeepers);
    return plannedKeepers.contains(node) && !isFollowing()
        ? RegisterWatch.without(location, node)
        : location;
  }

  /** Whether this node's part of the register has a leader, so that it soon has all entries. */
  public boolean isFollowing() {
    try {
      return server.isPresent() && ratisServer().getDivision(group).getInfo().getLeaderId() != null;
    } catch (IOException e) {
      return false;
    }
  }

  private RegisterPeers peers() throws IOException {
    return RegisterPeers.of(ratisServer(), group);
  }

  /**
   * Moves the register to its planned keepers. The leader invites the missing ones, and once all
   * are in, removes one surplus keeper. A removed keeper closes its part once the others confirm
   * its removal. Called periodically; may block.
   */
  public synchronized void reconcileKeepers() {
    pollKeepers();
    try {
      if (server.isEmpty()) {
        return;
      }
      RegisterPeers now = peers();
      if (!plannedKeepers.contains(node) && !now.nodes().contains(node)) {
        askWhetherRemoved(now);
      } else if (isLeading()) {
        now.missing(plannedKeepers).forEach(this::invite);
        Optional<List<RaftPeer>> fewer = now.without(plannedKeepers);
        if (fewer.isPresent()) {
          retryLater(
              requests.configure(ratisServer(), fewer.get()),
              "a surplus node could not be removed from the configuration register");
        }
      }
    } catch (IOException e) {
      // The server is being closed or reopened: the next call retries.
      return;
    }
  }

  private void invite(String newcomer) {
    retryLater(
        channel.call(newcomer, tagged(INVITE, self.getBytes(UTF_8))),
        "node %s could not be invited to the configuration register".formatted(newcomer));
  }

  /** Logs the failure of a step that the next check repeats, such as while a node is down. */
  private static void retryLater(CompletionStage<byte[]> step, String what) {
    FireAndForget.whenDone(
        step,
        (done, failed) -> {
          if (failed != null) {
            LOG.debug("{}: {}", what, String.valueOf(failed));
          }
        });
  }

  private void askWhetherRemoved(RegisterPeers now) {
    callUnlessInFlight(
        isConfirmingRemoval,
        Stream.concat(contacts().stream(), now.nodes().stream()).distinct().toList(),
        tagged(CONFIRM_REMOVAL, self.getBytes(UTF_8)),
        (answer, failed) -> {
          if (failed == null) {
            closeIfRemoved();
          }
        });
  }

  private synchronized void closeIfRemoved() {
    if (server.isPresent() && !plannedKeepers.contains(node)) {
      RegisterServer ended = server.get();
      server = Optional.empty();
      stateMachine = Optional.empty();
      ended.close();
    }
  }

  private CompletableFuture<byte[]> submit(byte[] command) {
    try {
      return requests.submit(ratisServer(), command);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Answers a call of another node's {@link RegisterChannel}. May block on the disk.
   *
   * @param to the name of the called node or replica
   * @return the answer; completes exceptionally if there is none
   */
  public CompletionStage<byte[]> handle(String to, byte[] request) {
    if (request.length > 0 && request[0] >= COMMAND && request[0] <= LIST_KEEPERS) {
      return handleCall(request);
    }
    // Ratis would log each call during its shutdown as an error.
    if (isClosed || server.isEmpty() || !to.equals(self) || request.length == 0) {
      return CompletableFuture.failedFuture(notKeptException());
    }
    byte[] message = Arrays.copyOfRange(request, 1, request.length);
    try {
      return CompletableFuture.completedFuture(
          ChannelRpc.answer(ratisServer(), terms, request[0], message));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private IOException notKeptException() {
    return new IOException(
        "%s does not keep the configuration register under that name".formatted(self));
  }

  /** Whether this node has an open part of the register. */
  public boolean isOpen() {
    return server.isPresent();
  }

  /** Whether this node leads the register. */
  public boolean isLeading() {
    try {
      return server.isPresent() && ratisServer().getDivision(group).getInfo().isLeader();
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

  /** The current keepers, as this node knows them; empty if it is not one of them. */
  Set<String> keepers() {
    try {
      return server.isEmpty() ? Set.of() : peers().nodes();
    } catch (IOException e) {
      return Set.of();
    }
  }

  /**
   * The Ratis server of this node's part.
   *
   * @throws IOException if this node no longer keeps the register
   */
  RaftServer ratisServer() throws IOException {
    return server.orElseThrow(this::notKeptException).server();
  }
}
