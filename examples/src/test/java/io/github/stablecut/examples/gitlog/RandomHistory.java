package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.examples.gitlog.Commit.FileChange;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Generates random histories with unusual names, and the logs that git would write for them. */
final class RandomHistory {
  private static final List<String> AUTHORS =
      List.of(
          "Ada Lovelace",
          "",
          "Zoë \"Z\" Ångström",
          "李雷",
          "date 2020-01-01",
          "commit",
          "😀",
          "a\rb");
  private static final List<String> FILES =
      List.of(
          "a.txt",
          "with space.txt",
          "naïve \"x\".txt",
          "tab\there",
          "line\nfeed",
          "back\\slash",
          "😀.md",
          "ÿ/\u0001",
          "commit abc",
          "-",
          "0");
  private static final int BINARY = 8;

  private final Random random;

  RandomHistory(long seed) {
    this.random = new Random(seed);
  }

  /** Generates commits; about one in five changes no file. */
  List<Commit> commits(int count) {
    List<Commit> commits = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Set<String> files = new LinkedHashSet<>();
      for (int n = random.nextInt(5); n > 0; n--) {
        files.add(random.nextInt(4) > 0 ? pick(FILES) : "dir/file" + random.nextInt(count));
      }
      commits.add(
          new Commit(
              hash(),
              pick(AUTHORS),
              "2024-02-0" + (1 + i % 9) + "T09:16:58-08:00",
              changes(files)));
    }
    return commits;
  }

  private List<FileChange> changes(Set<String> files) {
    List<FileChange> changes = new ArrayList<>();
    for (String file : files) {
      boolean binary = random.nextInt(BINARY) == 0;
      changes.add(
          new FileChange(binary ? 0 : random.nextInt(300), binary ? 0 : random.nextInt(20), file));
    }
    return changes;
  }

  private String hash() {
    byte[] hash = new byte[20];
    random.nextBytes(hash);
    return HexFormat.of().formatHex(hash);
  }

  private String pick(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** The log of commits, as git writes it. */
  static String log(List<Commit> commits) {
    StringBuilder log = new StringBuilder();
    String parent = "";
    for (Commit commit : commits) {
      log.append("commit ").append(commit.hash()).append('\n');
      log.append("parents ").append(parent).append('\n');
      log.append("author ").append(commit.author()).append('\n');
      log.append("date ").append(commit.date()).append('\n');
      log.append(commit.changes().isEmpty() ? "" : "\n");
      commit.changes().forEach(change -> log.append(line(change)));
      parent = commit.hash();
    }
    return log.toString();
  }

  private static String line(FileChange change) {
    boolean binary = change.added() == 0 && change.deleted() == 0;
    String lines = binary ? "-\t-" : change.added() + "\t" + change.deleted();
    return lines + "\t" + quoted(change.file()) + "\n";
  }

  /** Quotes as git does: if necessary, with each unusual byte as three octal digits. */
  private static String quoted(String file) {
    if (file.matches("[a-zA-Z0-9 ./-]+")) {
      return file;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (byte b : file.getBytes(UTF_8)) {
      int c = b & 0xff;
      switch (c) {
        case '\t' -> quoted.append("\\t");
        case '\n' -> quoted.append("\\n");
        case '"', '\\' -> quoted.append('\\').append((char) c);
        default -> quoted.append(c >= ' ' && c < 127 ? "" + (char) c : "\\%03o".formatted(c));
      }
    }
    return quoted.append('"').toString();
  }
}
