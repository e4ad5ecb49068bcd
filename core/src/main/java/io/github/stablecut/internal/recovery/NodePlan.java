package io.github.stablecut.internal.recovery;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.CorruptStoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster node's own knowledge of its cluster: the content of the text file {@link
 * NodeDirectory#NODE}.
 *
 * <pre>
 *   stablecut node
 *   format=1
 *   store=9f86d081884c7d65
 *   name=n2
 *   owners=n1,n2,n3,n1
 *   formed=true
 *   dataCentre=2
 *   routing=0a1b2c3d4e5f6071
 *   copies=n1+n2+n3,n2+n3+n1,n3+n1+n2,n1+n2+n3
 *   renewed=n2~4f09a2c1
 *   replaced=n9>n3
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line {@code dataCentre} exists only if the number is not 0, the line {@code routing} only
 * if it is not the store's id, the line {@code copies} only if partitions have several; the format
 * is 2 then. The line {@code renewed} exists only if the node has lost its directory, {@code
 * replaced} only if nodes have taken the places of others. The directories of the partitions tell
 * which ones a node owns now; {@code owners} holds the initial owners, by partition. So a node
 * detects lost partitions once all have been created.
 *
 * @param storeId the store that the cluster serves
 * @param dataCentre the data centre that the cluster is: its own entry in vectors
 * @param routing the seed of the routing: the store's id or, of a cluster that has joined other
 *     data centres, theirs
 * @param name the name of the node
 * @param owners the names of the nodes that created the partitions, by partition
 * @param isFormed whether all partitions have been open
 * @param copies the nodes with the first copies of each partition, by partition, in the order in
 *     which they are preferred as leaders; empty if each partition exists once
 * @param renewed the name of the node's copies, if its directory was made when the node had copies
 *     already, which are lost; otherwise empty
 * @param replaced the nodes that are lost for ever, and those that have taken their places here, as
 *     {@code n9>n3}, in the order on which the nodes have agreed; a plan with more is a newer one
 */
public record NodePlan(
    long storeId,
    LocalDataCentre dataCentre,
    long routing,
    String name,
    List<String> owners,
    boolean isFormed,
    List<List<String>> copies,
    String renewed,
    List<String> replaced) {
  /** The pattern of node names. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

  /** The format of a plan whose partitions exist once. */
  public static final int FORMAT = 1;

  /** The format of a plan with copies, and the newest that this version reads. */
  private static final int FORMAT_OF_COPIES = 2;

  /** How many copies a partition may have. */
  private static final List<Integer> COPIES = List.of(1, 3, 5);

  private static final String FIRST_LINE = "stablecut node";

  private static final String DATA_CENTRE = "dataCentre";
  private static final String ROUTING = "routing";
  private static final String COPIES_LINE = "copies";
  private static final String RENEWED = "renewed";
  private static final String REPLACED = "replaced";
  private static final String BY = ">";

  /** For a cluster that is the first data centre. */
  public NodePlan(long storeId, String name, List<String> owners, boolean isFormed) {
    this(storeId, LocalDataCentre.FIRST, storeId, name, owners, isFormed, List.of(), "");
  }

  /** For a cluster in which no node was replaced. */
  public NodePlan(
      long storeId,
      LocalDataCentre dataCentre,
      long routing,
      String name,
      List<String> owners,
      boolean isFormed,
      List<List<String>> copies,
      String renewed) {
    this(storeId, dataCentre, routing, name, owners, isFormed, copies, renewed, List.of());
  }

  /** Copies the lists, and checks names and numbers. */
  public NodePlan {
    owners = List.copyOf(owners);
    copies = copies.stream().map(List::copyOf).toList();
    replaced = List.copyOf(replaced);
    checkName(name);
    owners.forEach(NodePlan::checkName);
    if (owners.isEmpty()) {
      throw new IllegalArgumentException("a cluster has at least one partition");
    }
    if (!copies.isEmpty() && copies.size() != owners.size()) {
      throw new IllegalArgumentException(
          "copies of %d partitions, but there are %d".formatted(copies.size(), owners.size()));
    }
    for (List<String> nodes : copies) {
      nodes.forEach(NodePlan::checkName);
      if (nodes.size() < 2
          || !isCopies(nodes.size())
          || new TreeSet<>(nodes).size() != nodes.size()) {
        throw new IllegalArgumentException("copies of a partition on the nodes " + nodes);
      }
    }
  }

  /** Whether a partition can have so many copies: of an even number one is of no use. */
  public static boolean isCopies(int number) {
    return COPIES.contains(number);
  }

  /** Whether partitions have several copies. */
  public boolean hasCopies() {
    return !copies.isEmpty();
  }

  /** All nodes that the plan names, each once, in its order. */
  public List<String> nodes() {
    return Stream.concat(owners.stream(), copies.stream().flatMap(List::stream))
        .distinct()
        .toList();
  }

  /**
   * The nodes that keep the register of layouts: the first ones, as many as a partition has copies.
   */
  public List<String> registerNodes() {
    return hasCopies() ? nodes().subList(0, copies.get(0).size()) : List.of();
  }

  private static void checkName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a node's name is 1 to 63 letters, digits, dots, hyphens and underscores, not \""
              + name
              + "\"");
    }
  }

  /**
   * Creates the plan of a new cluster, which assigns partitions round-robin.
   *
   * @param name the name of the node that creates the plan
   * @param nodes at least as many as copies
   * @param partitions the number of partitions; 0 for two per node, at least 8
   * @param copies of each partition
   */
  public static NodePlan spread(
      long storeId, String name, List<String> nodes, int partitions, int copies) {
    int count = partitions == 0 ? Math.max(8, 2 * nodes.size()) : partitions;
    List<String> owners = new ArrayList<>();
    List<List<String>> spread = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      int first = number;
      owners.add(nodes.get(number % nodes.size()));
      spread.add(
          IntStream.range(0, copies)
              .mapToObj(next -> nodes.get((first + next) % nodes.size()))
              .toList());
    }
    return new NodePlan(
        storeId,
        LocalDataCentre.FIRST,
        storeId,
        name,
        owners,
        false,
        copies == 1 ? List.of() : spread,
        "");
  }

  /**
   * The plan of a cluster that begins with what a node has joined other data centres with: the node
   * has all partitions.
   */
  static NodePlan joined(StoreIdentity store, String node) {
    return new NodePlan(
        store.id(),
        store.dataCentre(),
        store.routing(),
        node,
        Collections.nCopies(store.partitions(), node),
        true,
        List.of(),
        "");
  }

  /** The initial partitions of a node, or those of which it has a copy. */
  public Set<Integer> given(String node) {
    Set<Integer> numbers = new TreeSet<>();
    for (int number = 0; number < owners.size(); number++) {
      if (hasCopies() ? copies.get(number).contains(node) : owners.get(number).equals(node)) {
        numbers.add(number);
      }
    }
    return numbers;
  }

  /** The same plan, for another node. */
  public NodePlan of(String node) {
    return new NodePlan(storeId, dataCentre, routing, node, owners, isFormed, copies, "", replaced);
  }

  /** The same plan, of a cluster whose partitions all have been open. */
  public NodePlan formed() {
    return new NodePlan(
        storeId, dataCentre, routing, name, owners, true, copies, renewed, replaced);
  }

  /** The same plan, of a node that has lost its directory, and begins anew. */
  public NodePlan renewed(String copy) {
    return new NodePlan(
        storeId, dataCentre, routing, name, owners, isFormed, copies, copy, replaced);
  }

  /**
   * The same plan, in which another node has the place of one that is lost for ever.
   *
   * @param lost one of {@link #nodes}
   * @param by none of them
   */
  public NodePlan replacing(String lost, String by) {
    if (!nodes().contains(lost) || nodes().contains(by)) {
      throw new IllegalArgumentException(
          "%s does not take the place of %s among %s".formatted(by, lost, nodes()));
    }
    UnaryOperator<String> renamed = node -> node.equals(lost) ? by : node;
    return new NodePlan(
        storeId,
        dataCentre,
        routing,
        name,
        owners.stream().map(renamed).toList(),
        isFormed,
        copies.stream().map(nodes -> nodes.stream().map(renamed).toList()).toList(),
        renewed,
        Stream.concat(replaced.stream(), Stream.of(replacement(lost, by))).toList());
  }

  /** As {@link #replaced} says it. */
  public static String replacement(String lost, String by) {
    return lost + BY + by;
  }

  /**
   * The same plan with those of some replacements that it does not have.
   *
   * @param agreed the nodes have agreed on them, in this order
   */
  public NodePlan with(List<String> agreed) {
    NodePlan newest = this;
    for (String one : agreed.subList(Math.min(replaced.size(), agreed.size()), agreed.size())) {
      String[] nodes = one.split(BY, -1);
      newest = newest.replacing(nodes[0], nodes[1]);
    }
    return newest;
  }

  /** The nodes whose places others have taken. */
  public Set<String> gone() {
    Set<String> lost = new TreeSet<>();
    replaced.forEach(one -> lost.add(one.split(BY, -1)[0]));
    nodes().forEach(lost::remove);
    return lost;
  }

  /** Whether it has replacements that another plan of the cluster does not have. */
  public boolean isNewerThan(NodePlan other) {
    return replaced.size() > other.replaced.size();
  }

  /** What this node knows, with what a newer plan of another node says. */
  public NodePlan updatedBy(NodePlan newer) {
    return new NodePlan(
        storeId,
        dataCentre,
        routing,
        name,
        newer.owners,
        isFormed || newer.isFormed,
        newer.copies,
        renewed,
        newer.replaced);
  }

  /** The node that has taken a node's place after an earlier plan; empty if none has. */
  public Optional<String> replacedSince(NodePlan earlier, String node) {
    return replaced.stream()
        .skip(earlier.replaced.size())
        .map(one -> one.split(BY, -1))
        .filter(nodes -> nodes[0].equals(node))
        .map(nodes -> nodes[1])
        .findFirst();
  }

  /** The name of this node's copies. */
  public String copy() {
    return renewed.isEmpty() ? name : renewed;
  }

  String toText() {
    String content =
        "%s\nformat=%d\nstore=%016x\nname=%s\nowners=%s\nformed=%s\n"
            .formatted(
                FIRST_LINE,
                hasCopies() ? FORMAT_OF_COPIES : FORMAT,
                storeId,
                name,
                String.join(",", owners),
                isFormed);
    if (!dataCentre.equals(LocalDataCentre.FIRST)) {
      content += "%s=%d\n".formatted(DATA_CENTRE, dataCentre.number());
    }
    if (routing != storeId) {
      content += "%s=%016x\n".formatted(ROUTING, routing);
    }
    if (hasCopies()) {
      content +=
          "%s=%s\n"
              .formatted(
                  COPIES_LINE,
                  copies.stream()
                      .map(nodes -> String.join("+", nodes))
                      .collect(Collectors.joining(",")));
    }
    if (!renewed.isEmpty()) {
      content += "%s=%s\n".formatted(RENEWED, renewed);
    }
    if (!replaced.isEmpty()) {
      content += "%s=%s\n".formatted(REPLACED, String.join(",", replaced));
    }
    return CheckedText.seal(content);
  }

  /** Reads the plan from a node's file. */
  static NodePlan read(Path file) throws IOException {
    return parse(CheckedText.read(file), file.toString());
  }

  /**
   * Parses a plan.
   *
   * @param file its name for messages
   */
  private static NodePlan parse(String text, String file) {
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT_OF_COPIES, file);
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw CheckedText.damaged(file);
    }
    CheckedText.checkWhole(text, file);
    try {
      String store = fields.getOrDefault("store", "");
      return new NodePlan(
          HexFormat.fromHexDigitsToLong(store),
          new LocalDataCentre(Integer.parseInt(fields.getOrDefault(DATA_CENTRE, "0"))),
          HexFormat.fromHexDigitsToLong(fields.getOrDefault(ROUTING, store)),
          fields.getOrDefault("name", ""),
          List.of(fields.getOrDefault("owners", "").split(",", -1)),
          Boolean.parseBoolean(fields.getOrDefault("formed", "")),
          copies(fields.getOrDefault(COPIES_LINE, "")),
          fields.getOrDefault(RENEWED, ""),
          texts(fields.getOrDefault(REPLACED, "")));
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  private static List<String> texts(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(",", -1));
  }

  private static List<List<String>> copies(String line) {
    return line.isEmpty()
        ? List.of()
        : Stream.of(line.split(",", -1)).map(nodes -> List.of(nodes.split("\\+", -1))).toList();
  }
}
