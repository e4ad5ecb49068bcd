package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/** A cluster whose nodes run in JVMs of their own. */
final class TestCluster implements AutoCloseable {
  static {
    // Shorter than the servers' keep-alive time, so that no closed connection is reused.
    System.setProperty("jdk.httpclient.keepalive.timeout", "5");
  }

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** A stopped node does not answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** The maximal number of attempts to start a node, each of which takes seconds. */
  private static final int MAX_STARTS = 20;

  private final List<Options> options = new CopyOnWriteArrayList<>();
  private final List<NodeProcess> nodes = new CopyOnWriteArrayList<>();

  /** The proxies before the nodes' ports for other nodes, if there are any. */
  private final List<NodePorts> proxies = new ArrayList<>();

  /** By partition and epoch, the nodes that claimed to own it. */
  private final Map<String, Set<String>> owners = new ConcurrentHashMap<>();

  private final Supplier<String> facts = this::facts;

  /** Proxies before both ports of a node for other nodes. */
  private record NodePorts(CutProxy membership, CutProxy data) {
    void cutFrom(IntPredicate ports) {
      membership.cutFrom(ports);
      data.cutFrom(ports);
    }

    void mend() {
      membership.mend();
      data.mend();
    }

    void close() {
      membership.close();
      data.close();
    }
  }

  /** The output and the exit code of a command. */
  record CommandResult(int code, String out, String err) {}

  /** Starts nodes n0, n1, ... and waits until they serve. */
  static TestCluster form(Path directory, int number) throws Exception {
    return form(options(directory, number));
  }

  /** The options of nodes n0, n1, ... */
  static List<Options> options(Path directory, int number) throws IOException {
    List<Integer> ports = Ports.free(number);
    List<String> seeds = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    List<Options> options = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      options.add(new Options("n" + i, directory.resolve("n" + i), ports.get(i), seeds, number));
    }
    return options;
  }

  /** Forms a cluster with a proxy before each node, so that it can be cut off from the others. */
  static TestCluster formBehindProxies(List<Options> nodes) throws Exception {
    TestCluster cluster = new TestCluster();
    List<Options> options = new ArrayList<>();
    for (Options one : nodes) {
      List<Integer> listening = Ports.free(2);
      NodePorts ports =
          new NodePorts(
              new CutProxy(one.port(), listening.subList(0, 1)),
              new CutProxy(0, listening.subList(1, 2)));
      cluster.proxies.add(ports);
      List<String> all = new ArrayList<>(one.more());
      all.addAll(List.of("--cluster-listen-port", "" + listening.get(0)));
      all.addAll(List.of("--cluster-data-port", "" + ports.data.port()));
      all.addAll(List.of("--cluster-data-listen-port", "" + listening.get(1)));
      options.add(one.with(all.toArray(String[]::new)));
    }
    return cluster.start(options);
  }

  /** Starts nodes and waits until they serve. */
  static TestCluster form(List<Options> options) throws Exception {
    return new TestCluster().start(options);
  }

  private TestCluster start(List<Options> options) throws Exception {
    for (Options one : options) {
      this.options.add(one);
      nodes.add(NodeProcess.start(one));
    }
    for (NodeProcess node : nodes) {
      node.await();
    }
    Eventually.addFacts(facts);
    return this;
  }

  /** Starts one more node. */
  void join(Options one) throws Exception {
    options.add(one);
    nodes.add(NodeProcess.start(one).await());
  }

  int size() {
    return nodes.size();
  }

  NodeProcess node(int i) {
    return nodes.get(i);
  }

  Options options(int i) {
    return options.get(i);
  }

  /** Cuts a node off from all others, in both directions. */
  void cutOff(int i) {
    assumeTrue(
        OpenPorts.areKnown(), "SKIPPED: this machine does not tell which process has which port");
    long process = node(i).pid();
    for (int other = 0; other < proxies.size(); other++) {
      if (other != i) {
        proxies.get(other).cutFrom(port -> isOf(process, port));
      }
    }
    proxies.get(i).cutFrom(port -> true);
  }

  /** Cuts a node's links to and from all others, which it still reaches at their node ports. */
  void cutLinks(int i) {
    assumeTrue(
        OpenPorts.areKnown(), "SKIPPED: this machine does not tell which process has which port");
    long process = node(i).pid();
    for (int other = 0; other < proxies.size(); other++) {
      proxies.get(other).data.cutFrom(other == i ? port -> true : port -> isOf(process, port));
    }
  }

  private static boolean isOf(long process, int port) {
    try {
      return OpenPorts.of(process).contains(port);
    } catch (IOException e) {
      throw new UncheckedIOException("it is not known whose port " + port + " is", e);
    }
  }

  /** Cuts all connections between two nodes, both of which reach all others. */
  void cutLink(int one, int other) {
    cutLinksFrom(one, other);
    cutLinksFrom(other, one);
  }

  private void cutLinksFrom(int one, int to) {
    assumeTrue(
        OpenPorts.areKnown(), "SKIPPED: this machine does not tell which process has which port");
    long process = node(one).pid();
    proxies.get(to).cutFrom(port -> isOf(process, port));
  }

  /** Restores all connections. */
  void mend() {
    proxies.forEach(NodePorts::mend);
  }

  /** Kills a node and deletes its directory. */
  void lose(int i) throws Exception {
    node(i).kill();
    FileTrees.delete(options(i).data());
  }

  void restart(int i) throws Exception {
    nodes.set(i, NodeProcess.start(options.get(i)).await());
  }

  /**
   * Restarts a node at another address, as on another machine. It joins the others at their present
   * addresses, and they admit it once they know that it has left its former address.
   */
  void restartElsewhere(int i) throws Exception {
    Options before = options.get(i);
    List<String> others =
        options.stream()
            .filter(one -> !one.equals(before))
            .map(one -> "127.0.0.1:" + one.port())
            .toList();
    options.set(i, before.withPort(Ports.free(1).get(0)).withSeeds(others));
    for (int attempt = 1; ; attempt++) {
      try {
        restart(i);
        return;
      } catch (ExecutionException e) {
        if (attempt == MAX_STARTS || !String.valueOf(e.getMessage()).contains("there is a node")) {
          throw e;
        }
      }
    }
  }

  /** Starts a node in place of a lost one. */
  void replace(int i, Options by) throws Exception {
    options.set(i, by);
    restart(i);
  }

  /** Restarts all nodes concurrently, possibly with other options. */
  void restartAll(List<Options> with) throws Exception {
    for (int i = 0; i < with.size(); i++) {
      options.set(i, with.get(i));
      nodes.set(i, NodeProcess.start(with.get(i)));
    }
    for (int i = 0; i < with.size(); i++) {
      node(i).await();
    }
  }

  /** Restarts a node that is cut off, and waits until it serves. */
  void restartCutOff(int i) throws Exception {
    NodeProcess node = NodeProcess.start(options.get(i));
    nodes.set(i, node);
    cutOff(i);
    node.await();
  }

  /** Restarts all nodes with other options, one of them cut off. */
  void restartCutOff(List<Options> with, int i) throws Exception {
    for (int node = 0; node < with.size(); node++) {
      options.set(node, with.get(node));
      nodes.set(node, NodeProcess.start(with.get(node)));
    }
    cutOff(i);
    for (NodeProcess node : nodes) {
      node.await();
    }
  }

  /** Runs a cluster command at a node. */
  CommandResult run(int node, Object command, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--url", node(node).operations()));
    int code =
        CommandRunner.run(
            command,
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            all.toArray(String[]::new));
    return new CommandResult(code, out.toString(), err.toString());
  }

  /** The output of {@code stablecut cluster status}; empty unless all nodes are reachable. */
  String status(int node) {
    CommandResult result = run(node, ClusterStatus.command());
    return result.code == 0 ? result.out : "";
  }

  /** A node's report about itself. */
  JsonNode report(int node) throws IOException, InterruptedException {
    URI uri = URI.create(node(node).operations() + "/api/v1/status");
    HttpResponse<String> response =
        HTTP.send(
            HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(),
            HttpResponse.BodyHandlers.ofString());
    return new ObjectMapper().readTree(response.body());
  }

  /** The value of one of a node's metrics without tags. */
  double metric(int node, String name) throws IOException, InterruptedException {
    URI uri = URI.create(node(node).operations() + "/metrics");
    HttpResponse<String> response =
        HTTP.send(
            HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(),
            HttpResponse.BodyHandlers.ofString());
    return response
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** The owners that a node can't reach. */
  Set<String> lost(int node) throws IOException, InterruptedException {
    Set<String> lost = new HashSet<>();
    for (JsonNode partition : report(node).path("partitions")) {
      if (!partition.path("reachable").asBoolean()) {
        lost.add(partition.path("node").asText());
      }
    }
    return lost;
  }

  /** The owners by partition, as reported by a node. */
  @CanIgnoreReturnValue
  List<String> owners(int node) throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    for (JsonNode partition : report(node).path("partitions")) {
      String owner = partition.path("node").asText();
      found.add(owner);
      Set<String> all =
          owners.computeIfAbsent(
              partition.path("partition").asInt() + " at epoch " + partition.path("epoch").asLong(),
              key -> ConcurrentHashMap.newKeySet());
      all.add(owner);
    }
    return found;
  }

  /** Waits until each node has a complete replica of each partition whose vote counts. */
  void awaitReplicas() throws Exception {
    for (int i = 0; i < nodes.size(); i++) {
      int node = i;
      Eventually.holds("all replicas on node " + i + " are complete", () -> isReplicated(node));
    }
  }

  /** The facts for the message of a failure. */
  private String facts() {
    StringBuilder found = new StringBuilder(output());
    for (int i = 0; i < nodes.size(); i++) {
      found.append("replicas on ").append(options(i).name()).append(": ");
      try {
        found.append(report(i).path("replicas"));
      } catch (IOException e) {
        found.append(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      found.append(System.lineSeparator());
    }
    return found.toString();
  }

  private boolean isReplicated(int node) throws IOException, InterruptedException {
    JsonNode replicas;
    try {
      replicas = report(node).path("replicas");
    } catch (HttpTimeoutException e) {
      return false;
    }
    boolean isComplete = !replicas.isEmpty();
    for (JsonNode replica : replicas) {
      isComplete &= replica.path("complete").asBoolean();
      isComplete &= !replica.path("underReplicated").asBoolean();
    }
    return isComplete;
  }

  /** Checks that no epoch of a partition had two owners in the results of {@link #owners}. */
  void checkOneOwnerPerEpoch() {
    assertThat(owners).allSatisfy((epoch, nodes) -> assertThat(nodes).as(epoch).hasSize(1));
    assertThat(owners).isNotEmpty();
  }

  /** The output of all nodes, without the lines that report readiness. */
  String output() {
    StringBuilder logs = new StringBuilder();
    for (int i = 0; i < nodes.size(); i++) {
      logs.append(options(i).name())
          .append(nodes.get(i).isAlive() ? " lives: " : " has ended: ")
          .append(nodes.get(i).output())
          .append(System.lineSeparator());
    }
    return logs.toString();
  }

  /** Whether a node considers another one a member, even if unreachable. */
  boolean hasMember(int node, int other) {
    try {
      Set<String> members = new HashSet<>();
      report(node).path("members").forEach(address -> members.add(address.asText()));
      return members.contains("127.0.0.1:" + options(other).port());
    } catch (IOException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  void awaitWhole() throws Exception {
    for (int i = 0; i < nodes.size(); i++) {
      int node = i;
      if (nodes.get(i).isAlive()) {
        Eventually.holds("node " + i + " reaches all", () -> !status(node).isEmpty());
        owners(node);
      }
    }
  }

  /** Connections to the live nodes. */
  List<Supplier<Store>> connections() {
    List<Supplier<Store>> connections = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      int node = i;
      connections.add(() -> nodes.get(node).connect());
    }
    return connections;
  }

  @Override
  public void close() {
    Eventually.removeFacts(facts);
    nodes.forEach(NodeProcess::close);
    proxies.forEach(NodePorts::close);
  }
}
