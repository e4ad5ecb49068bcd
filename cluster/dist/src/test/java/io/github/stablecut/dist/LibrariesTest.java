package io.github.stablecut.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every library of the archive, which includes those of an embedded store, was reviewed in its
 * version, and its licence is named.
 */
final class LibrariesTest {
  private static final Path ARCHIVE = Path.of(System.getProperty("dist.archive"));

  /** The prefix of this project's own libraries, which have only one version. */
  private static final String OWN = "stablecut-";

  private static final Pattern JAR =
      Pattern.compile("(.+?)-([0-9][^-]*(?:-jre|-empty-.*)?)(?:-native)?\\.jar");
  private static final Pattern EMBEDDED =
      Pattern.compile("META-INF/maven/[^/]+/([^/]+)/pom\\.properties");

  /** A row of the table of docs/security.md: names, versions, vulnerabilities, reachability. */
  private static final Pattern ROW =
      Pattern.compile("\\| ([^|]+) \\| ([^|]+) \\| [^|]+ \\| [^|]* ?\\|");

  private static final Pattern WITHIN = Pattern.compile("(.*) in `([^`]+)`");
  private static final Pattern NOTED = Pattern.compile("  (?:in ([^:]+): )?(.+)");

  @TempDir private static Path directory;
  private static List<Library> shipped = List.of();

  /**
   * A library.
   *
   * @param within the jar of another library that contains it; empty for a jar of its own
   */
  private record Library(String name, String version, String within) {
    String words() {
      return name + " " + version + (within.isEmpty() ? "" : " in " + within);
    }
  }

  /**
   * An entry of a document about libraries.
   *
   * @param name with {@code *} for any characters
   * @param version empty if the document names none
   */
  private record Entry(String name, String version, String within) {
    boolean names(Library library) {
      String pattern = Pattern.quote(name).replace("*", "\\E.*\\Q");
      return within.equals(library.within) && library.name.matches(pattern);
    }

    boolean isOf(Library library) {
      return names(library) && version.equals(library.version);
    }
  }

  @BeforeAll
  static void unpack() throws Exception {
    Process tar =
        new ProcessBuilder(
                "tar", "-xzf", ARCHIVE.toString(), "-C", directory.toString(), "--strip=1")
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    List<Library> libraries = new ArrayList<>();
    try (Stream<Path> jars = Files.walk(directory.resolve("lib"))) {
      for (Path jar : jars.filter(Files::isRegularFile).sorted().toList()) {
        if (!jar.getFileName().toString().startsWith(OWN)) {
          add(jar, libraries);
        }
      }
    }
    shipped = libraries;
  }

  private static void add(Path jar, List<Library> libraries) throws IOException {
    Matcher name = JAR.matcher(jar.getFileName().toString());
    assertThat(name.matches()).as("%s is a name and a version", jar).isTrue();
    libraries.add(new Library(name.group(1), name.group(2), ""));
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : file.stream().toList()) {
        Matcher embedded = EMBEDDED.matcher(entry.getName());
        if (embedded.matches() && !embedded.group(1).equals(name.group(1))) {
          Properties properties = new Properties();
          try (InputStream in = file.getInputStream(entry)) {
            properties.load(in);
          }
          libraries.add(
              new Library(embedded.group(1), properties.getProperty("version"), name.group(1)));
        }
      }
    }
  }

  /** The rows of the table, with one entry for each name. */
  private static List<Entry> reviewed() throws IOException {
    String page = Files.readString(directory.resolve("docs/security.md"), UTF_8);
    List<Entry> entries = new ArrayList<>();
    for (String line : page.substring(page.indexOf("## Dependencies")).lines().toList()) {
      Matcher row = ROW.matcher(line);
      if (row.matches() && !row.group(1).equals("library") && !row.group(1).startsWith("---")) {
        addRow(row.group(1), List.of(row.group(2).split(", ", -1)), entries);
      }
    }
    return entries;
  }

  private static void addRow(String names, List<String> versions, List<Entry> entries) {
    Matcher within = WITHIN.matcher(names);
    boolean isWithin = within.matches();
    String holder = isWithin ? within.group(2) : "";
    String[] all = (isWithin ? within.group(1) : names).split(", ", -1);
    assertThat(versions.size()).as("versions of %s", names).isIn(1, all.length);
    for (int i = 0; i < all.length; i++) {
      String version = versions.get(versions.size() == 1 ? 0 : i);
      entries.add(new Entry(all[i].replace("`", ""), version, holder));
    }
  }

  private static List<Entry> noted() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String line : Files.readAllLines(directory.resolve("NOTICE"), UTF_8)) {
      Matcher noted = NOTED.matcher(line);
      if (noted.matches()) {
        String holder = noted.group(1) == null ? "" : noted.group(1);
        for (String name : noted.group(2).split(", ", -1)) {
          entries.add(new Entry(name.replaceFirst(" \\(.*\\)$", ""), "", holder));
        }
      }
    }
    return entries;
  }

  /**
   * Entries without a shipped library, except libraries that were packed into others without
   * Maven's properties, which can't be detected.
   */
  private static Set<String> needless(List<Entry> entries) {
    Set<String> needless = new TreeSet<>();
    for (Entry entry : entries) {
      boolean isThere =
          shipped.stream().anyMatch(entry::names)
              || (!entry.within.isEmpty()
                  && shipped.stream().anyMatch(one -> one.name.equals(entry.within)));
      if (!isThere) {
        needless.add(entry.name);
      }
    }
    return needless;
  }

  @Test
  void eachLibraryWasReviewedInItsVersion() throws IOException {
    List<Entry> reviewed = reviewed();

    assertThat(reviewed).hasSizeGreaterThan(40);
    assertThat(
            shipped.stream()
                .filter(library -> reviewed.stream().noneMatch(entry -> entry.isOf(library)))
                .map(Library::words))
        .as("libraries that docs/security.md does not have in this version: review them there")
        .isEmpty();
    assertThat(needless(reviewed)).as("in docs/security.md, and not shipped").isEmpty();
  }

  @Test
  void eachLicenceIsNamed() throws IOException {
    List<Entry> noted = noted();

    assertThat(noted).hasSizeGreaterThan(40);
    assertThat(
            shipped.stream()
                .filter(library -> noted.stream().noneMatch(entry -> entry.names(library)))
                .map(Library::words))
        .as("libraries that NOTICE does not name")
        .isEmpty();
    assertThat(needless(noted)).as("in NOTICE, and not shipped").isEmpty();
  }
}
