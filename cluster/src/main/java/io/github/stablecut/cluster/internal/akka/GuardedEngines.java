package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorCell$;
import akka.actor.ActorContext;
import akka.actor.ActorRef;
import akka.remote.artery.tcp.SSLEngineProvider;
import akka.stream.impl.FanIn;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import scala.Option;
import scala.collection.immutable.List;

/**
 * Guards Akka's port: no data reaches Akka's frame decoder before the TLS handshake proves that the
 * peer is a node of the cluster. A connection that does not complete the handshake in time is
 * closed, and so is the oldest one when there are too many. Thread-safe.
 *
 * <p>When Akka's system terminates, its TLS stages may wait for their peers to close the
 * connections, and the system keeps its port until then. So the guard closes the connections of a
 * system that terminates.
 *
 * <p>Akka has no limit for handshakes and no way to close connections, so this class ends them with
 * the message that Akka's TLS stage receives when its transport fails.
 */
final class GuardedEngines implements SSLEngineProvider {
  /** The most concurrent handshakes. */
  static final int MAX_HANDSHAKES = 128;

  /** The longest time that a handshake may take. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** The time for which connections may still send data after the system began to terminate. */
  static final Duration GRACE = Duration.ofMillis(1_500);

  /** The cipher suite of a session before the handshake (see {@link SSLEngine#getSession}). */
  private static final String NO_CIPHER = "SSL_NULL_WITH_NULL_NULL";

  private final SSLEngineProvider engines;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private final Deque<Handshake> handshakes = new ArrayDeque<>();

  /** The TLS stages of all open connections, and of some closed ones. */
  @GuardedBy("this")
  private final Set<ActorRef> stages = Collections.newSetFromMap(new WeakHashMap<>());

  /** The time at which the system began to terminate, if it has. */
  @GuardedBy("this")
  private OptionalLong closedAtNanos = OptionalLong.empty();

  /**
   * A connection whose handshake was not complete at the last check.
   *
   * @param stage its TLS stage in Akka
   */
  private record Handshake(SSLEngine engine, ActorRef stage, long startedAtNanos) {
    boolean isOver() {
      return engine.isInboundDone()
          || engine.isOutboundDone()
          || !engine.getSession().getCipherSuite().equals(NO_CIPHER);
    }
  }

  private static void end(ActorRef stage, String why) {
    stage.tell(new FanIn.OnError(0, new SSLException(why)), ActorRef.noSender());
  }

  /**
   * @param engines perform the handshake
   * @param nanoClock a monotonic clock
   */
  GuardedEngines(SSLEngineProvider engines, LongSupplier nanoClock) {
    this.engines = engines;
    this.nanoClock = nanoClock;
  }

  /** Called by Akka while it creates the stage of a connection. */
  @Override
  public SSLEngine createServerSSLEngine(String hostname, int port) {
    SSLEngine engine = engines.createServerSSLEngine(hostname, port);
    begin(engine, stage());
    return engine;
  }

  /** The actor that Akka is creating. */
  private static ActorRef stage() {
    List<ActorContext> contexts = ActorCell$.MODULE$.contextStack().get();
    while (contexts.head() == null) {
      contexts = tail(contexts);
    }
    return contexts.head().self();
  }

  @SuppressWarnings("unchecked") // the tail of a Scala list is a list
  private static List<ActorContext> tail(List<ActorContext> contexts) {
    return (List<ActorContext>) contexts.tail();
  }

  private synchronized void begin(SSLEngine engine, ActorRef stage) {
    if (handshakes.size() >= MAX_HANDSHAKES) {
      handshakes.removeIf(Handshake::isOver);
    }
    if (handshakes.size() >= MAX_HANDSHAKES) {
      end(
          handshakes.remove().stage,
          "%d connections are in their handshakes".formatted(MAX_HANDSHAKES));
    }
    handshakes.add(new Handshake(engine, stage, nanoClock.getAsLong()));
    stages.add(stage);
  }

  /** The system begins to terminate. */
  synchronized void close() {
    closedAtNanos = OptionalLong.of(nanoClock.getAsLong());
  }

  /**
   * Ends handshakes that take too long, and all connections once the system has been terminating
   * for {@link #GRACE}. Called several times per second.
   */
  synchronized void tick() {
    long nowNanos = nanoClock.getAsLong();
    if (closedAtNanos.isPresent() && nowNanos - closedAtNanos.getAsLong() > GRACE.toNanos()) {
      stages.forEach(stage -> end(stage, "the node is closing"));
    }
    handshakes.removeIf(
        one -> {
          if (one.isOver()) {
            return true;
          }
          boolean isLate = nowNanos - one.startedAtNanos > TIMEOUT.toNanos();
          if (isLate) {
            end(one.stage, "no completed handshake within " + TIMEOUT);
          }
          return isLate;
        });
  }

  /** The number of incomplete handshakes. */
  synchronized int handshakes() {
    return handshakes.size();
  }

  @Override
  public SSLEngine createClientSSLEngine(String hostname, int port) {
    synchronized (this) {
      stages.add(stage());
    }
    return engines.createClientSSLEngine(hostname, port);
  }

  @Override
  public Option<Throwable> verifyClientSession(String hostname, SSLSession session) {
    return engines.verifyClientSession(hostname, session);
  }

  @Override
  public Option<Throwable> verifyServerSession(String hostname, SSLSession session) {
    return engines.verifyServerSession(hostname, session);
  }
}
