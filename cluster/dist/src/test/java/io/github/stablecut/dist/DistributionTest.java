package io.github.stablecut.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the installed distribution as a user who has nothing else. */
final class DistributionTest {
  private static final Path ARCHIVE = Path.of(System.getProperty("dist.archive"));
  private static final Path JAR = Path.of(System.getProperty("dist.jar"));
  private static final String VERSION = System.getProperty("dist.version");

  /** The home of another JDK or JRE, if the machine has one; see .ci/run. */
  private static final Optional<Path> OTHER_JAVA =
      Optional.ofNullable(System.getenv("OTHER_JAVA_HOME")).map(Path::of);

  private static final Pattern ADMIN_URL = Pattern.compile("admin port at (http://[^;]+);");

  /** The metrics of a server without a cluster. */
  private static final Pattern METRIC =
      Pattern.compile("\\b(stablecut_(?!cluster_)\\w+|jvm_\\w+|disk_\\w+)");

  @TempDir static Path directory;

  private static Path home = Path.of("");

  /** The ways to start the program. */
  enum StartMethod {
    SCRIPT,
    JAR,
    SCRIPT_ON_ANOTHER_JAVA,
    JAR_ON_ANOTHER_JAVA;

    boolean isOnAnotherJava() {
      return this == SCRIPT_ON_ANOTHER_JAVA || this == JAR_ON_ANOTHER_JAVA;
    }

    Path javaHome() {
      return isOnAnotherJava()
          ? OTHER_JAVA.orElseThrow()
          : Path.of(System.getProperty("java.home"));
    }

    List<String> command() {
      return this == SCRIPT || this == SCRIPT_ON_ANOTHER_JAVA
          ? List.of(home.resolve("bin/stablecut").toString())
          : List.of(
              javaHome().resolve("bin/java").toString(), "-jar", DistributionTest.JAR.toString());
    }

    /** Skips the test if it needs another Java and there is none. */
    void assumeThereIsOne() {
      assumeTrue(
          !isOnAnotherJava() || OTHER_JAVA.isPresent(),
          "OTHER_JAVA_HOME names no other JDK: only this one is tested");
    }
  }

  /** The exit code and the output of a process. */
  record ProcessResult(int code, String out, String err) {}

  @BeforeAll
  static void unpack() throws Exception {
    Process tar =
        new ProcessBuilder("tar", "-xzf", ARCHIVE.toString(), "-C", directory.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    home = directory.resolve("stablecut-" + VERSION);
  }

  private static ProcessBuilder builder(StartMethod start, String... args) {
    ProcessBuilder builder = builder(start.command(), args);
    builder.environment().put("JAVA_HOME", start.javaHome().toString());
    return builder;
  }

  private static ProcessBuilder builder(List<String> start, String... args) {
    List<String> command = Stream.concat(start.stream(), Stream.of(args)).toList();
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HOME", directory.toString());
    // Making it in the background would take processor time from the tests; see ClassArchiveTest.
    environment.put("STABLECUT_CLASS_CACHE", "off");
    return builder;
  }

  private static ProcessResult run(StartMethod start, String... args) throws Exception {
    return run(builder(start, args));
  }

  private static ProcessResult run(List<String> start, String... args) throws Exception {
    return run(builder(start, args));
  }

  private static ProcessResult run(ProcessBuilder builder) throws Exception {
    Path out = Files.createTempFile(directory, "out", "");
    Path err = Files.createTempFile(directory, "err", "");
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    int code = process.waitFor();
    return new ProcessResult(code, Files.readString(out), Files.readString(err));
  }

  @ParameterizedTest
  @EnumSource
  void servesAStoreThatTheOtherCommandsRead(StartMethod start) throws Exception {
    start.assumeThereIsOne();
    String data = directory.resolve("data-" + start).toString();
    Process server =
        builder(
                start,
                "serve",
                "--data",
                data,
                "--port",
                "0",
                "--http-port",
                "0",
                "--partitions",
                "2")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = server.inputReader(UTF_8)) {
      String ready = String.valueOf(out.readLine());
      assertThat(ready).startsWith("Stablecut is ready");
      String adminUrl = adminUrl(ready);

      ProcessResult status = run(start, "status", "--url", adminUrl);
      assertThat(status.code()).as(status.err()).isZero();
      assertThat(status.out()).contains("ready");
      assertThat(metricsNamedBy(home.resolve("prometheus/alerts.yml"))).hasSizeGreaterThan(3);
      assertThat(metricsNamedBy(home.resolve("grafana/stablecut.json"))).hasSizeGreaterThan(8);
      String metrics = get(adminUrl + "/metrics");
      assertThat(metrics)
          .contains(metricsNamedBy(home.resolve("prometheus/alerts.yml")))
          .contains(metricsNamedBy(home.resolve("grafana/stablecut.json")));
      if (isHere("promtool")) {
        assertThat(complaintsOfPrometheus(metrics)).isEmpty();
      }
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(server.exitValue()).isZero();

    ProcessResult verified = run(start, "verify", "--full", data);
    assertThat(verified.code()).as(verified.err()).isZero();
    assertThat(verified.out()).startsWith("all is well");
    assertThat(verified.err().lines())
        .filteredOn(line -> !start.isOnAnotherJava() || !line.startsWith("WARNING: "))
        .isEmpty();
  }

  @Test
  void queriesWithSqlWithoutLoadingItsLibrariesElsewhere() throws Exception {
    String data = directory.resolve("queried").toString();
    Path lines = directory.resolve("lines.json");
    Files.writeString(
        lines, "{\"bucket\":\"posts\",\"key\":\"likes\",\"type\":\"counter\",\"value\":3}\n");
    ProcessResult created = run(StartMethod.SCRIPT, "import", lines.toString(), data);
    assertThat(created.code()).as(created.err()).isZero();

    String query = "SELECT COUNT(*) AS objects FROM stablecut.objects";
    ProcessResult found = run(StartMethod.SCRIPT, "sql", data, query, "--format", "csv");

    assertThat(found.code()).as(found.err()).isZero();
    assertThat(found.out().lines()).containsExactly("objects", "1");
    ProcessResult refused = run(StartMethod.JAR, "sql", data, query);
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("the archive has the command \"sql\", and this jar has not");
  }

  /** The server's setup as described in the comments of a file. */
  enum Deployment {
    DOCKER,
    SYSTEMD;

    String text() throws IOException {
      return Files.readString(
          home.resolve(this == DOCKER ? "docker/Dockerfile" : "systemd/stablecut.service"));
    }

    /** The directory of its state, which is its user's home. */
    String state() throws IOException {
      String place = first(this == DOCKER ? "VOLUME (\\S+)" : "StateDirectory=(\\S+)", text());
      return this == DOCKER ? place : "/var/lib/" + place;
    }

    List<String> command() throws IOException {
      String words =
          this == DOCKER
              ? first("CMD \\[(.*)]", text()).replaceAll("[\",]", "")
              : first("ExecStart=\\S+/bin/stablecut (.*)", text());
      return List.of(words.split(" "));
    }
  }

  private static String first(String pattern, String text) {
    Matcher found = Pattern.compile("(?m)^(?:# )?" + pattern + "$").matcher(text);
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  /**
   * The user's home contains the container's volume and the unit's state, and is the only place
   * that it may write to.
   */
  @ParameterizedTest
  @EnumSource
  void aServerInAContainerOrUnderSystemdAcceptsCommandsOfItsUser(Deployment deployment)
      throws Exception {
    Path place = Files.createDirectory(directory.resolve("var-" + deployment));
    Path state = Files.createDirectory(place.resolve("lib"));
    giveUpRights(place, state);
    assertThat(first(".*useradd .*--home-dir (\\S+) .*", deployment.text()))
        .isEqualTo(deployment.state());
    Path settings =
        Files.writeString(
            directory.resolve(deployment + ".conf"),
            Files.readString(home.resolve("conf/stablecut.conf"))
                .replace(deployment.state(), state.toString()));
    List<String> command = new ArrayList<>(deployment.command());
    command.replaceAll(
        word ->
            word.replace("/etc/stablecut/stablecut.conf", settings.toString())
                .replace("/var/lib/stablecut", state.toString()));
    command.addAll(List.of("--port", "0", "--http-port", "0"));
    Process server = asUser(state, command).start();
    try (BufferedReader out = server.inputReader(UTF_8)) {
      String adminUrl = adminUrl(String.valueOf(out.readLine()));

      for (List<String> order :
          List.of(
              List.of("update", "posts", "42/likes", "increment", "--url", adminUrl),
              List.of("verify", "--url", adminUrl))) {
        ProcessResult ended = run(asUser(state, order));
        assertThat(ended.code()).as("%s: %s", order, ended.err()).isZero();
      }
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    try (Stream<Path> files = Files.list(state)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(".stablecut", "data");
    }
  }

  /** The user and the group nobody, who own nothing. */
  private static final String NOBODY = "65534";

  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");

  /** Whether programs can run as a user who owns nothing, which some machines do not permit. */
  private static boolean canBeNobody() throws Exception {
    return System.getProperty("user.name").equals("root")
        && isHere("setpriv")
        && run(builder(AS_NOBODY, "sh", "-c", ": > /dev/null")).code() == 0;
  }

  /**
   * Takes away write access: to the installation for everyone, and beyond its state for the
   * server's user.
   */
  private static void giveUpRights(Path place, Path state) throws Exception {
    List<List<String>> changes = new ArrayList<>();
    if (canBeNobody()) {
      changes.add(List.of("chown", NOBODY + ":" + NOBODY, state.toString()));
    }
    changes.add(List.of("chmod", "a+rx", directory.toString()));
    changes.add(List.of("chmod", "-R", "a+rX,a-w", home.toString()));
    changes.add(List.of("chmod", "a+rx,a-w", place.toString()));
    for (List<String> change : changes) {
      assertThat(run(change).code()).as(change.toString()).isZero();
    }
  }

  private static ProcessBuilder asUser(Path state, List<String> command) throws Exception {
    List<String> start = new ArrayList<>(StartMethod.SCRIPT.command());
    if (canBeNobody()) {
      start.addAll(0, AS_NOBODY);
    }
    ProcessBuilder builder = builder(start, command.toArray(String[]::new));
    builder.environment().put("JDK_JAVA_OPTIONS", "-Duser.home=" + state);
    return builder.directory(state.toFile());
  }

  /** Prometheus' complaints about this server's names; commits_within is a partial histogram. */
  private static List<String> complaintsOfPrometheus(String metrics) throws Exception {
    Path file = Files.writeString(directory.resolve("metrics"), metrics);
    ProcessResult ended =
        run(builder(List.of("promtool"), "check", "metrics").redirectInput(file.toFile()));
    assertThat(ended.err()).doesNotContain("error while linting", "parse");
    return (ended.out() + ended.err())
        .lines()
        .filter(line -> !line.matches("(antidote|process|system|jvm)_.*"))
        .filter(line -> !line.matches("stablecut_commits_within_total .* \"le\" label"))
        .toList();
  }

  private static String adminUrl(String ready) {
    Matcher found = ADMIN_URL.matcher(ready);
    assertThat(found.find()).as(ready).isTrue();
    return found.group(1);
  }

  private static String get(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static Set<String> metricsNamedBy(Path file) throws IOException {
    Set<String> names = new TreeSet<>();
    METRIC.matcher(Files.readString(file)).results().forEach(found -> names.add(found.group()));
    return names;
  }

  @ParameterizedTest
  @EnumSource
  void printsItsVersion(StartMethod start) throws Exception {
    start.assumeThereIsOne();
    for (String word : List.of("version", "--version")) {
      ProcessResult ended = run(start, word);

      assertThat(ended.code()).as(ended.err()).isZero();
      assertThat(ended.out()).startsWith("stablecut " + VERSION + ", Java ");
      assertThat(ended.out().contains(", Java " + Runtime.version()))
          .isNotEqualTo(start.isOnAnotherJava());
    }
  }

  @Test
  void aLinkToTheScriptWorks() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("sc"), home.resolve("bin/stablecut"));

    assertThat(run(List.of(link.toString()), "version").code()).isZero();
  }

  @Test
  void namesAnOlderJava() throws Exception {
    Path old = Files.createDirectories(directory.resolve("jdk8"));
    Path java = Files.createDirectories(old.resolve("bin")).resolve("java");
    Files.writeString(java, "#!/bin/sh\nexit 1\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"\n");
    ProcessBuilder builder = builder(StartMethod.SCRIPT, "version");
    builder.environment().put("JAVA_HOME", old.toString());
    Path err = Files.createTempFile(directory, "err", "");
    int code = builder.redirectError(err.toFile()).start().waitFor();

    assertThat(code).isEqualTo(1);
    assertThat(Files.readString(err))
        .isEqualTo(
            "stablecut: %s is Java 8: install a JDK 17 or later, or set JAVA_HOME%n"
                .formatted(java));
  }

  @Test
  void containsNoBenchmarksAndEveryLicence() throws Exception {
    List<String> libraries = new ArrayList<>();
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      files.forEach(file -> libraries.add(file.getFileName().toString()));
    }

    assertThat(libraries)
        .noneMatch(name -> name.contains("jmh") || name.contains("rocksdb"))
        .noneMatch(name -> name.contains("testing"))
        .contains("stablecut-cluster-" + VERSION + ".jar");
    assertThat(home).isDirectoryContaining(file -> file.endsWith("LICENSE"));
    assertThat(home).isDirectoryContaining(file -> file.endsWith("NOTICE"));
    assertThat(home.resolve("conf/reference.conf")).exists();
  }

  private static boolean isHere(String program) throws Exception {
    return new ProcessBuilder("sh", "-c", "command -v " + program).start().waitFor() == 0;
  }

  @Test
  void alertsAreValidForPrometheus() throws Exception {
    assumeTrue(isHere("promtool"), "there is no promtool here");

    ProcessResult ended =
        run(
            List.of("promtool"),
            "check",
            "rules",
            home.resolve("prometheus/alerts.yml").toString());

    assertThat(ended.code()).as(ended.err()).isZero();
  }
}
