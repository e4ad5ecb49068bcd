package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.cluster.command.cluster.ClusterAbort;
import io.github.stablecut.cluster.command.cluster.ClusterBackup;
import io.github.stablecut.cluster.command.cluster.ClusterExport;
import io.github.stablecut.cluster.command.cluster.ClusterForget;
import io.github.stablecut.cluster.command.cluster.ClusterImport;
import io.github.stablecut.cluster.command.cluster.ClusterLeave;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.cluster.command.cluster.ClusterRebalance;
import io.github.stablecut.cluster.command.cluster.ClusterRecover;
import io.github.stablecut.cluster.command.cluster.ClusterReplace;
import io.github.stablecut.cluster.command.cluster.ClusterReplicas;
import io.github.stablecut.cluster.command.cluster.ClusterRestore;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.cluster.command.cluster.ClusterVerify;
import io.github.stablecut.cluster.command.cluster.DcConnect;
import io.github.stablecut.cluster.command.cluster.DcDetach;
import io.github.stablecut.cluster.command.cluster.DcRemove;
import io.github.stablecut.cluster.command.cluster.DcStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** The program {@code stablecut}: finds the command named by its first words, and runs it. */
public final class Main {
  private static final Map<String, Consumer<String[]>> COMMANDS =
      Map.ofEntries(
          Map.entry("serve", Serve::main),
          Map.entry("status", Status::main),
          Map.entry("top", Top::main),
          Map.entry("version", Main::printVersion),
          Map.entry("--version", Main::printVersion),
          Map.entry("cluster status", ClusterStatus::main),
          Map.entry("cluster move", ClusterMove::main),
          Map.entry("cluster rebalance", ClusterRebalance::main),
          Map.entry("cluster leave", ClusterLeave::main),
          Map.entry("cluster replace", ClusterReplace::main),
          Map.entry("cluster replicas", ClusterReplicas::main),
          Map.entry("cluster forget", ClusterForget::main),
          Map.entry("cluster backup", ClusterBackup::main),
          Map.entry("cluster restore", ClusterRestore::main),
          Map.entry("cluster export", ClusterExport::main),
          Map.entry("cluster import", ClusterImport::main),
          Map.entry("cluster abort-in-doubt", ClusterAbort::main),
          Map.entry("cluster recover", ClusterRecover::main),
          Map.entry("cluster verify", ClusterVerify::main),
          Map.entry("dc status", DcStatus::main),
          Map.entry("dc connect", DcConnect::main),
          Map.entry("dc remove", DcRemove::main),
          Map.entry("dc detach", DcDetach::main),
          Map.entry("backup", Backup::main),
          Map.entry("backup verify", BackupVerify::main),
          Map.entry("restore", Restore::main),
          Map.entry("verify", Verify::main),
          Map.entry("inspect", Inspect::main),
          Map.entry("journal dump", DumpJournal::main),
          Map.entry("get", Get::main),
          Map.entry("buckets", ListBuckets::main),
          Map.entry("tables", ListTables::main),
          Map.entry("scan", ScanObjects::main),
          Map.entry("update", UpdateObject::main),
          Map.entry("watch", WatchObjects::main),
          Map.entry("export", Export::main),
          Map.entry("import", Import::main));

  private static final Set<String> HELP = Set.of("help", "--help", "-h");

  private Main() {}

  /**
   * Runs a command, and ends the process with its exit code.
   *
   * @param args one or two words that name the command, and its options
   */
  public static void main(String[] args) {
    for (int words = Math.min(2, args.length); words > 0; words--) {
      Consumer<String[]> command = COMMANDS.get(named(args, words));
      if (command != null) {
        setLogLevel(args[0]);
        command.accept(withoutFirst(args, words));
        return;
      }
    }
    System.exit(CommandRunner.print(out -> explain(args, out, System.err)));
  }

  /** The names of all commands. */
  static Set<String> names() {
    return COMMANDS.keySet();
  }

  /** Prints the usage when no command was named; returns the exit code. */
  static int explain(String[] args, PrintStream out, PrintStream err) {
    if (isHelp(args)) {
      out.print(usage());
      return 0;
    }
    if (args.length > 0) {
      int words = isGroup(args[0]) ? Math.min(2, args.length) : 1;
      err.printf(
          args[0].equals("sql")
              ? "stablecut: the archive has the command \"%s\", and this jar has not: it lacks Apache"
                  + " Calcite%n%n"
              : "stablecut: there is no command \"%s\"%n%n",
          named(args, words));
    }
    err.print(usage());
    return Exit.WRONG_CALL.code();
  }

  private static boolean isGroup(String word) {
    return COMMANDS.keySet().stream().anyMatch(name -> name.startsWith(word + " "));
  }

  /** Whether help is requested, alone or after the first word of a group of commands. */
  private static boolean isHelp(String[] args) {
    int last = args.length > 1 && isGroup(args[0]) ? 1 : 0;
    return args.length > 0 && HELP.contains(args[last]);
  }

  private static String named(String[] args, int words) {
    return words == 1 ? args[0] : args[0] + " " + args[1];
  }

  private static String[] withoutFirst(String[] args, int words) {
    return Arrays.copyOfRange(args, words, args.length);
  }

  /**
   * Sets the log level for standard error unless -Dstablecut.log is set: warnings for a server, and
   * errors for other commands, which report their findings themselves.
   */
  private static void setLogLevel(String command) {
    if (System.getProperty("stablecut.log") == null) {
      System.setProperty("stablecut.log", command.equals("serve") ? "WARN" : "ERROR");
    }
  }

  private static void printVersion(String... ignored) {
    System.exit(
        CommandRunner.print(
            out -> {
              out.println(version());
              return Exit.DONE.code();
            }));
  }

  /** The versions of Stablecut, Java and the machine. */
  static String version() {
    String version = Main.class.getPackage().getImplementationVersion();
    return "stablecut %s, Java %s, %s %s"
        .formatted(
            version == null ? "of unknown version" : version,
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }

  private static String usage() {
    try (InputStream text = Main.class.getResourceAsStream("usage.txt")) {
      return new String(Objects.requireNonNull(text).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
