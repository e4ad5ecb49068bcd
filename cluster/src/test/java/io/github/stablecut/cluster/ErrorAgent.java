package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * A Java agent that throws an error in its JVM when it is told to: once, on a thread of a given
 * kind, at the entry of a method. Those are our methods, Netty's that wait for sockets, and those
 * of Akka that its threads execute actors, wait for sockets, and wait for a time with. {@link
 * ErrorInjector} tells it. Thread-safe.
 */
public final class ErrorAgent {
  /** The kind of the threads of which the next one to enter a method gets the error. */
  private static volatile String kind = "";

  /** Read at the entry of every method. */
  private static volatile boolean isArmed;

  /** So many entries come before. */
  private static final AtomicInteger SKIPPED = new AtomicInteger();

  /** Where the last error was thrown; empty if none was since the agent was told to. */
  private static volatile String thrown = "";

  private ErrorAgent() {}

  /** A thread's kind: its name without the numbers and addresses in it. */
  static String kind(String thread) {
    return thread.replaceAll("[0-9]+", "#").replaceAll("(-#)+$", "");
  }

  /**
   * Called by the JVM before its main method.
   *
   * @param file where the port is written at which the agent is told what to do
   */
  public static void premain(String file, Instrumentation instrumentation) throws IOException {
    var unused =
        new AgentBuilder.Default()
            .disableClassFormatChanges()
            .ignore(nameStartsWith(ErrorAgent.class.getName()))
            .type(
                nameStartsWith("io.github.stablecut.").or(nameStartsWith("io.netty.channel.nio.")))
            .transform(entering(isMethod()))
            .type(
                nameStartsWith("akka.dispatch.Mailbox")
                    .or(nameStartsWith("akka.io.SelectionHandler"))
                    .or(nameStartsWith("akka.actor.LightArrayRevolverScheduler")))
            .transform(entering(namedOneOf("processMailbox", "tryRun", "nextTick")))
            .installOn(instrumentation);
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Path written = Files.writeString(Path.of(file + ".new"), "" + socket.getLocalPort());
    var unusedPath = Files.move(written, Path.of(file), StandardCopyOption.ATOMIC_MOVE);
    Thread thread = new Thread(() -> obey(socket), "error-agent");
    thread.setDaemon(true);
    thread.start();
  }

  private static AgentBuilder.Transformer entering(
      ElementMatcher<? super MethodDescription> methods) {
    return (builder, type, loader, module, domain) ->
        builder.visit(Advice.to(Entry.class).on(methods));
  }

  private static void obey(ServerSocket socket) {
    while (true) {
      try (Socket accepted = socket.accept();
          BufferedReader in =
              new BufferedReader(new InputStreamReader(accepted.getInputStream(), UTF_8));
          PrintStream out = new PrintStream(accepted.getOutputStream(), true, UTF_8)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          out.println(answer(line.split("\t", -1)));
        }
      } catch (IOException e) {
        // The test has gone.
      }
    }
  }

  private static String answer(String[] order) {
    return switch (order[0]) {
      case "threads" ->
          Thread.getAllStackTraces().keySet().stream()
              .map(Thread::getName)
              .collect(Collectors.joining("\t"));
      case "arm" -> {
        thrown = "";
        SKIPPED.set(Integer.parseInt(order[2]));
        kind = order[1];
        isArmed = true;
        yield "armed";
      }
      case "disarm" -> "was armed: " + disarm();
      default -> thrown;
    };
  }

  private static synchronized boolean disarm() {
    boolean wasArmed = isArmed;
    isArmed = false;
    return wasArmed;
  }

  /** Code that every method begins with. */
  public static final class Entry {
    private Entry() {}

    /** Copied into the methods. */
    @Advice.OnMethodEnter
    public static void enter(@Advice.Origin("#t.#m") String method) {
      ErrorAgent.enter(method);
    }
  }

  /** Throws the error if this is the thread for it. */
  public static void enter(String method) {
    if (isArmed
        && kind(Thread.currentThread().getName()).equals(kind)
        && SKIPPED.getAndDecrement() <= 0
        && disarm()) {
      thrown = method;
      throw new OutOfMemoryError("for a test, in " + method);
    }
  }
}
