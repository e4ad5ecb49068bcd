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
 * The guard before Akka's port: nothing that comes there reaches Akka's decoder of frames before
 * TLS knows that the other end is a node of the cluster, which must be soon. Who is silent instead
 * is disconnected, and so is the one that has been at it for the longest if there are too many.
 * Thread-safe.
 *
 * <p>When Akka's system ends, its stage for TLS may wait for the other end to close the connection.
 * As long as it does, the system keeps the port, so the guard ends such connections too.
 *
 * <p>Akka has no limit for handshakes and no way to close connections, so they are ended by what
 * Akka's stage for TLS is told when its transport fails.
 */
final class GuardedEngines implements SSLEngineProvider {
  /** So many connections may be in the handshake at once. */
  static final int MAX_HANDSHAKES = 128;

  /** So long a handshake may take. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** So long after the system began to end, connections may still send what is on its way. */
  static final Duration GRACE = Duration.ofMillis(1_500);

  /** What a session has before the handshake (see {@link SSLEngine#getSession}). */
  private static final String NO_CIPHER = "SSL_NULL_WITH_NULL_NULL";

  private final SSLEngineProvider engines;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private final Deque<Handshake> handshakes = new ArrayDeque<>();

  /** The stages of all connections that are there, and of some that are not any more. */
  @GuardedBy("this")
  private final Set<ActorRef> stages = Collections.newSetFromMap(new WeakHashMap<>());

  /** When the system began to end, if it has. */
  @GuardedBy("this")
  private OptionalLong ending = OptionalLong.empty();

  /**
   * A connection that was not known to be a node's when it was looked at last.
   *
   * @param stage Akka's stage for its TLS
   */
  private record Handshake(SSLEngine engine, ActorRef stage, long begun) {
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
   * @param engines make the handshake
   * @param nanoClock a clock that runs evenly
   */
  GuardedEngines(SSLEngineProvider engines, LongSupplier nanoClock) {
    this.engines = engines;
    this.nanoClock = nanoClock;
  }

  /** Called by Akka while it makes the stage of a connection. */
  @Override
  public SSLEngine createServerSSLEngine(String hostname, int port) {
    SSLEngine engine = engines.createServerSSLEngine(hostname, port);
    begin(engine, stage());
    return engine;
  }

  /** The actor that is being made. */
  private static ActorRef stage() {
    List<ActorContext> contexts = ActorCell$.MODULE$.contextStack().get();
    while (contexts.head() == null) {
      contexts = tail(contexts);
    }
    return contexts.head().self();
  }

  @SuppressWarnings("unchecked") // the tail of a list of Scala's is a list
  private static List<ActorContext> tail(List<ActorContext> contexts) {
    return (List<ActorContext>) contexts.tail();
  }

  private synchronized void begin(SSLEngine engine, ActorRef stage) {
    if (handshakes.size() >= MAX_HANDSHAKES) {
      boolean unused = handshakes.removeIf(Handshake::isOver);
    }
    if (handshakes.size() >= MAX_HANDSHAKES) {
      end(
          handshakes.remove().stage,
          "%d connections are in the handshake".formatted(MAX_HANDSHAKES));
    }
    handshakes.add(new Handshake(engine, stage, nanoClock.getAsLong()));
    var unusedToo = stages.add(stage);
  }

  /** The system begins to end. */
  synchronized void close() {
    ending = OptionalLong.of(nanoClock.getAsLong());
  }

  /**
   * Ends the handshakes that take too long, and all connections once the system has been ending for
   * {@link #GRACE}. To be called a few times in that.
   */
  synchronized void tick() {
    long now = nanoClock.getAsLong();
    if (ending.isPresent() && now - ending.getAsLong() > GRACE.toNanos()) {
      stages.forEach(stage -> end(stage, "the node ends"));
    }
    boolean unused =
        handshakes.removeIf(
            one -> {
              if (one.isOver()) {
                return true;
              }
              boolean isLate = now - one.begun > TIMEOUT.toNanos();
              if (isLate) {
                end(one.stage, "no handshake in " + TIMEOUT);
              }
              return isLate;
            });
  }

  /** How many connections are not known to be nodes'. */
  synchronized int handshakes() {
    return handshakes.size();
  }

  @Override
  public SSLEngine createClientSSLEngine(String hostname, int port) {
    synchronized (this) {
      var unused = stages.add(stage());
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
