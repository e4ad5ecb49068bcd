package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorCell$;
import akka.actor.ActorContext;
import akka.actor.ActorRef;
import akka.remote.artery.tcp.SSLEngineProvider;
import akka.stream.impl.FanIn;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
 * <p>Akka has no limit for handshakes, so they are ended by what Akka's stage for TLS is told when
 * its transport fails.
 */
final class GuardedEngines implements SSLEngineProvider {
  /** So many connections may be in the handshake at once. */
  static final int MAX_HANDSHAKES = 128;

  /** So long a handshake may take. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** What a session has before the handshake (see {@link SSLEngine#getSession}). */
  private static final String NO_CIPHER = "SSL_NULL_WITH_NULL_NULL";

  private final SSLEngineProvider engines;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private final Deque<Handshake> handshakes = new ArrayDeque<>();

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

    void end(String why) {
      stage.tell(new FanIn.OnError(0, new SSLException(why)), ActorRef.noSender());
    }
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
      handshakes.remove().end("%d connections are in the handshake".formatted(MAX_HANDSHAKES));
    }
    handshakes.add(new Handshake(engine, stage, nanoClock.getAsLong()));
  }

  /** Ends the handshakes that take too long. To be called a few times in {@link #TIMEOUT}. */
  synchronized void tick() {
    long now = nanoClock.getAsLong();
    boolean unused =
        handshakes.removeIf(
            one -> {
              if (one.isOver()) {
                return true;
              }
              boolean isLate = now - one.begun > TIMEOUT.toNanos();
              if (isLate) {
                one.end("no handshake in " + TIMEOUT);
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
