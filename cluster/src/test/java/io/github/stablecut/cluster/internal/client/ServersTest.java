package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.internal.transaction.routing.Routing;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Chooses the server for each call. */
class ServersTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private static final long ROUTING = 7;

  private final Map<InetSocketAddress, ServerPool> pools = new ConcurrentHashMap<>();

  private static String name(ScriptedServer server) {
    return "127.0.0.1:" + server.address().getPort();
  }

  @Test
  void findsANodeThatJoinsASingleNodeLater() throws Exception {
    List<ScriptedServer> nodes = new ArrayList<>();
    try (ScriptedServer first = new ScriptedServer(call -> layout(call, nodes));
        ScriptedServer second = new ScriptedServer(call -> layout(call, nodes))) {
      nodes.add(first);
      Servers servers =
          new Servers(
              List.of(first.address()),
              address -> new ServerPool(address, SocketFactory.getDefault(), LONG),
              LONG);
      servers.start();
      Eventually.holds(
          "the client requests the nodes", () -> !first.calls(Call.Plain.class).isEmpty());

      synchronized (nodes) {
        nodes.add(second);
      }

      Eventually.holds(
          "the client uses the second node", () -> !second.calls(Call.Plain.class).isEmpty());
      servers.close();
    }
  }

  @Test
  @Timeout(60)
  void findsOtherNodesDespiteAFrozenOne() throws Exception {
    List<ScriptedServer> nodes = new ArrayList<>();
    try (ScriptedServer named = new ScriptedServer(call -> layout(call, nodes));
        ScriptedServer frozen = new ScriptedServer(call -> Optional.empty());
        ScriptedServer other = new ScriptedServer(call -> layout(call, nodes))) {
      nodes.addAll(List.of(named, frozen, other));
      Servers servers = servers(named);
      servers.start();

      Eventually.holds(
          "the client uses the other node",
          () -> {
            servers.call(new Call.Write(List.of(keyOfSecondPartition().increment())));
            return !other.calls(Call.Write.class).isEmpty();
          });
      servers.close();
    }
  }

  @Test
  @Timeout(60)
  void findsAReturningServerAlthoughNoOtherAnswers() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedServer frozen = new ScriptedServer(call -> Optional.empty());
        ScriptedServer back =
            new ScriptedServer(
                call -> {
                  if (requests.getAndIncrement() < 2) {
                    throw ScriptedServer.brokenOff();
                  }
                  return Optional.of(ScriptedServer.usual(call));
                })) {
      Servers servers = servers(frozen, back);
      servers.avoid(Objects.requireNonNull(pools.get(back.address())));
      servers.start();

      Eventually.holds("the client retries", () -> requests.get() > 2);
      servers.close();
    }
  }

  /**
   * The server answers, but knows no owner of the objects, and no other server knows that it has
   * any.
   */
  @Test
  @Timeout(60)
  void leavesAServerThatLacksPartitions() throws Exception {
    List<ScriptedServer> apart = new ArrayList<>();
    List<ScriptedServer> together = new ArrayList<>();
    try (ScriptedServer cutOff =
            new ScriptedServer(
                call ->
                    call instanceof Call.Write
                        ? Optional.of(
                            CallFailures.of(new PartitionUnavailableException("nobody answers")))
                        : layout(call, apart));
        ScriptedServer gone =
            new ScriptedServer(
                call -> {
                  throw ScriptedServer.brokenOff();
                });
        ScriptedServer other = new ScriptedServer(call -> layout(call, together))) {
      apart.add(cutOff);
      together.add(other);
      Servers servers = servers(cutOff, gone, other);
      servers.avoid(Objects.requireNonNull(pools.get(gone.address())));
      servers.start();
      Eventually.holds(
          "the layout of the cut-off node is known",
          () -> !cutOff.calls(Call.Plain.class).isEmpty());

      Call.Write write = new Call.Write(List.of(keyOfSecondPartition().increment()));
      assertThatThrownBy(() -> servers.call(write))
          .isInstanceOf(PartitionUnavailableException.class);

      Eventually.holds(
          "the client uses the other node",
          () -> {
            try {
              servers.call(write);
            } catch (PartitionUnavailableException e) {
              return false;
            }
            return !other.calls(Call.Write.class).isEmpty();
          });
      servers.close();
    }
  }

  /** It then names only itself, as a node names the nodes that it reaches. */
  @Test
  @Timeout(60)
  void leavesACutOffServerForOthersThatItNamedBefore() throws Exception {
    List<ScriptedServer> together = new ArrayList<>();
    List<ScriptedServer> reached = new ArrayList<>();
    AtomicBoolean isCutOff = new AtomicBoolean();
    try (ScriptedServer named =
            new ScriptedServer(
                call ->
                    isCutOff.get() && call instanceof Call.Write
                        ? Optional.of(
                            CallFailures.of(new PartitionUnavailableException("nobody answers")))
                        : layout(call, reached));
        ScriptedServer other = new ScriptedServer(call -> layout(call, together))) {
      together.add(other);
      reached.addAll(List.of(named, other));
      Servers servers = servers(named);
      servers.start();
      Eventually.holds("the client uses the other node", () -> isUsed(servers, other));
      int configurations = named.calls(Call.Plain.class).size();
      synchronized (reached) {
        reached.remove(other);
      }
      isCutOff.set(true);
      Eventually.holds(
          "the nodes that it reaches are known",
          () -> named.calls(Call.Plain.class).size() > configurations + 1);

      int before = other.calls(Call.Write.class).size();
      Eventually.holds(
          "the client uses the other node again",
          () -> isUsed(servers, other) && other.calls(Call.Write.class).size() > before);
      servers.close();
    }
  }

  private static boolean isUsed(Servers servers, ScriptedServer server) {
    try {
      servers.call(new Call.Write(List.of(keyOfSecondPartition().increment())));
    } catch (PartitionUnavailableException e) {
      return false;
    }
    return !server.calls(Call.Write.class).isEmpty();
  }

  @Test
  @Timeout(60)
  void sendsTheNextUpdateToAnotherServerAfterATimeout() throws Exception {
    List<ScriptedServer> nodes = new ArrayList<>();
    try (ScriptedServer named = new ScriptedServer(call -> layout(call, nodes));
        ScriptedServer owner =
            new ScriptedServer(
                call -> {
                  if (call instanceof Call.Write) {
                    throw ScriptedServer.brokenOff();
                  }
                  return layout(call, nodes);
                })) {
      nodes.addAll(List.of(named, owner));
      Servers servers = servers(named, owner);
      servers.start();
      Call.Write write = new Call.Write(List.of(keyOfSecondPartition().increment()));
      Eventually.holds(
          "the client uses the owner",
          () -> {
            try {
              servers.call(write);
              return false;
            } catch (OutcomeUnknownException e) {
              return true;
            }
          });
      int before = named.calls(Call.Write.class).size();

      servers.call(write);

      assertThat(owner.calls(Call.Write.class)).hasSize(1);
      assertThat(named.calls(Call.Write.class)).hasSize(before + 1);
      servers.close();
    }
  }

  @Test
  @Timeout(60)
  void beginsTheNextTransactionElsewhereAfterARefusal() throws Exception {
    for (StablecutException refusal :
        List.of(
            new PartitionUnavailableException("nobody answers"),
            new TransactionTimeoutException("nobody has answered in time"),
            new OutcomeUnknownException("nobody has said that it is committed"))) {
      try (ScriptedServer cutOff =
              new ScriptedServer(call -> beginReply(call, Optional.of(refusal)));
          ScriptedServer other = new ScriptedServer(call -> beginReply(call, Optional.empty()));
          Store store =
              Stablecut.connect("stablecut://%s,%s".formatted(name(cutOff), name(other)))) {
        Transaction refused = store.begin();
        refused.update(keyOfSecondPartition().increment());
        assertThatThrownBy(refused::commit).isInstanceOf(refusal.getClass());
        assertThat(other.calls(Call.Begin.class)).isEmpty();

        try (Transaction next = store.begin()) {
          next.update(keyOfSecondPartition().increment());
        }
        assertThat(other.calls(Call.Begin.class)).hasSize(1);
      }
    }
  }

  @Test
  @Timeout(60)
  void handlesAtAnUnlistedNodeSeeWhatOthersHaveAcknowledged() throws Exception {
    List<ScriptedServer> nodes = new ArrayList<>();
    try (ScriptedServer named = new ScriptedServer(call -> layout(call, nodes));
        ScriptedServer dropped = new ScriptedServer(call -> layout(call, nodes))) {
      nodes.add(named);
      Servers servers = servers(named);
      servers.start();
      Call.Read read = new Call.Read(Call.Freshness.NEWEST, Optional.empty(), List.of());
      ServerPool pool = new ServerPool(dropped.address(), SocketFactory.getDefault(), LONG);
      servers.saw(
          Objects.requireNonNull(pools.get(named.address())),
          new CausalToken(1, 1, VectorClock.of(5)));

      Eventually.holds(
          "the client sends the point once it knows the cluster",
          () -> {
            servers.callOf(pool, read);
            return !dropped.calls(Call.AfterPoint.class).isEmpty();
          });
      servers.close();
      pool.close();
    }
  }

  private static Optional<Answer> beginReply(Call call, Optional<StablecutException> refusal) {
    if (call instanceof Call.Begin) {
      return Optional.of(new Answer.OpenedHandle(Bytes.utf8("one"), ScriptedServer.point(1)));
    }
    return call instanceof Call.End && refusal.isPresent()
        ? Optional.of(CallFailures.of(refusal.get()))
        : Optional.of(ScriptedServer.usual(call));
  }

  private Servers servers(ScriptedServer... named) {
    return new Servers(
        Stream.of(named).map(ScriptedServer::address).toList(),
        address ->
            pools.computeIfAbsent(
                address, at -> new ServerPool(at, SocketFactory.getDefault(), LONG)),
        LONG,
        Duration.ofMillis(500));
  }

  /** An object of the second partition. */
  private static CounterKey keyOfSecondPartition() {
    return IntStream.range(0, 100)
        .mapToObj(number -> Key.counter("b", "k" + number))
        .filter(key -> new Routing(ROUTING, 2).partition(key.id()) == 1)
        .findFirst()
        .orElseThrow();
  }

  /** The reply of a cluster of two partitions, the second of which was on a node that is down. */
  private static Optional<Answer> layout(Call call, List<ScriptedServer> nodes) {
    if (call != Call.Plain.LAYOUT) {
      return Optional.of(ScriptedServer.usual(call));
    }
    synchronized (nodes) {
      List<String> names = nodes.stream().map(ServersTest::name).toList();
      return Optional.of(
          new Answer.PartitionOwners(1, ROUTING, names, List.of(0, names.size() - 1)));
    }
  }

  @Test
  void triesOnlyOneOfTheConnectionsThatAServerHasForgotten() throws Exception {
    AtomicBoolean isSilent = new AtomicBoolean();
    try (ScriptedServer server =
        new ScriptedServer(
            call -> isSilent.get() ? Optional.empty() : Optional.of(ScriptedServer.usual(call)))) {
      ServerPool pool =
          new ServerPool(server.address(), SocketFactory.getDefault(), Duration.ofMillis(200));
      List<CallConnection> connections = List.of(pool.take(), pool.take(), pool.take());
      connections.forEach(pool::giveBack);
      isSilent.set(true);
      // Until then, the connections count as valid.
      Thread.sleep(1_100);

      assertThatThrownBy(() -> pool.call(Call.Plain.STATUS))
          .isInstanceOf(ServerUnavailableException.class);

      // On a busy machine the event comes later.
      Eventually.holds("one is tried", () -> !server.calls(Call.Renew.class).isEmpty());
      pool.close();
      server.awaitEnd();
      assertThat(server.calls(Call.Renew.class)).hasSize(1);
    }
  }

  @Test
  void reusesAnIdleConnectionThatAnswers() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(call -> Optional.of(ScriptedServer.usual(call)))) {
      ServerPool pool = new ServerPool(server.address(), SocketFactory.getDefault(), LONG);
      CallConnection connection = pool.take();
      pool.giveBack(connection);
      // Until then, the connection counts as valid.
      Thread.sleep(1_100);

      assertThat(pool.take()).isSameAs(connection);

      assertThat(server.calls(Call.Renew.class)).hasSize(1);
      pool.close();
    }
  }

  @Test
  void avoidsAServerThatIsSilentWhenProbed() throws Exception {
    AtomicBoolean isSilent = new AtomicBoolean();
    try (ScriptedServer server =
        new ScriptedServer(
            call -> isSilent.get() ? Optional.empty() : Optional.of(ScriptedServer.usual(call)))) {
      ServerPool pool = new ServerPool(server.address(), SocketFactory.getDefault(), LONG);
      pool.giveBack(pool.take());
      isSilent.set(true);
      // Until then, the connection counts as valid.
      Thread.sleep(1_100);

      assertThatThrownBy(() -> pool.take(Duration.ofMillis(200)))
          .isInstanceOf(ServerUnavailableException.class)
          .hasMessageContaining("has not answered for");
      pool.close();
    }
  }

  /** The first request of a session. */
  private static Call.WriteOnce sessionWrite() {
    return new Call.WriteOnce(
        SessionId.create(Instant.ofEpochSecond(1_700_000_000)),
        1,
        Optional.empty(),
        List.of(keyOfSecondPartition().increment()));
  }

  @Test
  @Timeout(60)
  void aRefusalIsFinalOnlyIfNoAnswerWasLost() throws Exception {
    AtomicBoolean isLost = new AtomicBoolean(true);
    AtomicInteger requests = new AtomicInteger();
    Call.WriteOnce call = sessionWrite();
    try (ScriptedServer server =
        new ScriptedServer(
            received -> {
              if (!(received instanceof Call.WriteOnce)) {
                return Optional.of(ScriptedServer.usual(received));
              } else if (requests.incrementAndGet() == 1 && isLost.get()) {
                throw ScriptedServer.brokenOff();
              }
              return Optional.of(CallFailures.of(new LimitExceededException("too large")));
            })) {
      Servers servers = servers(server);

      assertThatThrownBy(() -> servers.callUntilAnswered(call))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContainingAll("too large", "the outcome of the request is unknown");
      assertThat(requests).hasValue(2);
      isLost.set(false);
      assertThatThrownBy(() -> servers.callUntilAnswered(call))
          .isInstanceOf(LimitExceededException.class);
      servers.close();
    }
  }

  @Test
  @Timeout(60)
  void aRefusalOfAnUnavailableServerLosesNoAnswer() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    Call.WriteOnce call = sessionWrite();
    try (ScriptedServer server =
        new ScriptedServer(
            received -> {
              if (!(received instanceof Call.WriteOnce)) {
                return Optional.of(ScriptedServer.usual(received));
              }
              return Optional.of(
                  CallFailures.of(
                      requests.incrementAndGet() == 1
                          ? new ServerUnavailableException("it is stopping", null)
                          : new LimitExceededException("too large")));
            })) {
      Servers servers = servers(server);

      assertThatThrownBy(() -> servers.callUntilAnswered(call))
          .isInstanceOf(LimitExceededException.class);
      assertThat(requests).hasValue(2);
      servers.close();
    }
  }

  @Test
  void aRefusedCallDoesNotShortenTheTimeoutOfTheNext() throws Exception {
    Duration silence = Duration.ofSeconds(2);
    try (ScriptedServer server =
        new ScriptedServer(
            call -> {
              if (call == Call.Plain.STATUS) {
                return Optional.of(CallFailures.of(new OutcomeUnknownException("refused")));
              }
              pauseFor(silence.plusMillis(500));
              return Optional.of(ScriptedServer.usual(call));
            })) {
      ServerPool pool = new ServerPool(server.address(), SocketFactory.getDefault(), LONG);
      CallConnection connection = pool.take();
      assertThatThrownBy(() -> pool.call(connection, Call.Plain.STATUS, silence))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("refused");

      assertThat(pool.take()).isSameAs(connection);
      connection.send(Call.Plain.LAYOUT);
      assertThat(connection.receive()).isInstanceOf(Answer.PartitionOwners.class);
      pool.close();
    }
  }

  private static void pauseFor(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
