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
 * A Java agent that throws an error in its JVM on command: once, on a thread of a given kind, at
 * the entry of a method. It instruments this project's methods, Netty's methods that wait for
 * sockets, and Akka's methods that execute actors, wait for sockets, and wait for timers. {@link
 * ErrorInjector} controls it. Thread-safe.
 */
public final class ErrorAgent {
  /** The kind of the threads; the next thread of this kind to enter a method gets the error. */
  private static volatile String kind = "";

  /** Read at the entry of every method. */
  private static volatile boolean isArmed;

  /** The number of entries to skip. */
  private static final AtomicInteger SKIPPED = new AtomicInteger();

  /** Where the last error was thrown; empty if none was thrown since the last command. */
  private static volatile String thrown = "";

  private ErrorAgent() {}

  /** Returns a thread's kind: its name without numbers and addresses. */
  static String kind(String thread) {
    return thread.replaceAll("[0-9]+", "#").replaceAll("(-#)+$", "");
  }

  /**
   * Called by the JVM before its main method.
   *
   * @param file where the agent writes the port at which it accepts commands
   */
  public static void premain(String file, Instrumentation instrumentation) throws IOException {
    new AgentBuilder.Default()
        .disableClassFormatChanges()
        .ignore(nameStartsWith(ErrorAgent.class.getName()))
        .type(nameStartsWith("io.github.stablecut.").or(nameStartsWith("io.netty.channel.nio.")))
        .transform(entering(isMethod()))
        .type(
            nameStartsWith("akka.dispatch.Mailbox")
                .or(nameStartsWith("akka.io.SelectionHandler"))
                .or(nameStartsWith("akka.actor.LightArrayRevolverScheduler")))
        .transform(entering(namedOneOf("processMailbox", "tryRun", "nextTick")))
        .installOn(instrumentation);
    ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Path written = Files.writeString(Path.of(file + ".new"), "" + socket.getLocalPort());
    Files.move(written, Path.of(file), StandardCopyOption.ATOMIC_MOVE);
    Thread thread = new Thread(() -> executeCommands(socket), "error-agent");
    thread.setDaemon(true);
    thread.start();
  }

  private static AgentBuilder.Transformer entering(
      ElementMatcher<? super MethodDescription> methods) {
    return (builder, type, loader, module, domain) ->
        builder.visit(Advice.to(Entry.class).on(methods));
  }

  private static void executeCommands(ServerSocket socket) {
    while (true) {
      try (Socket accepted = socket.accept();
          BufferedReader in =
              new BufferedReader(new InputStreamReader(accepted.getInputStream(), UTF_8));
          PrintStream out = new PrintStream(accepted.getOutputStream(), true, UTF_8)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          out.println(answer(line.split("\t", -1)));
        }
      } catch (IOException e) {
        // The test has disconnected.
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

  /** The code that is inserted at the beginning of every method. */
  public static final class Entry {
    private Entry() {}

    /** Copied into the methods. */
    @Advice.OnMethodEnter
    public static void enter(@Advice.Origin("#t.#m") String method) {
      ErrorAgent.enter(method);
    }
  }

  /** Throws the error if the current thread has the armed kind. */
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
