package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The spread of replicas over zones, in random clusters through random changes. */
class ZonesProperties {
  private final Map<String, String> named = new HashMap<>();
  private final List<String> nodes = new ArrayList<>();

  /** Adds nodes, some without a zone. */
  private void join(Random random, int number, int zones) {
    for (int i = 0; i < number; i++) {
      String node = "n" + nodes.size();
      nodes.add(node);
      int zone = random.nextInt(zones + 1);
      named.put(node, zone == zones ? "" : "z" + zone);
    }
  }

  private static int moved(NodePlan before, NodePlan after) {
    int moved = 0;
    for (int number = 0; number < after.replicas().size(); number++) {
      List<String> added = new ArrayList<>(after.replicas().get(number));
      added.removeAll(before.replicas().get(number));
      moved += added.size();
    }
    return moved;
  }

  /** The minimum number of moves: replicas that share a zone while another zone has none. */
  private static int tooMany(NodePlan plan, List<String> among, Zones zones) {
    return plan.replicas().stream()
        .mapToInt(
            nodes ->
                Math.min(nodes.size(), zones.number(among))
                    - zones.number(nodes.stream().filter(among::contains).toList()))
        .sum();
  }

  private void isSpread(NodePlan plan, List<String> among, Zones zones) {
    assertThat(plan.replicas())
        .allSatisfy(
            nodes -> {
              assertThat(nodes).doesNotHaveDuplicates().isSubsetOf(among);
              assertThat(zones.isSpread(nodes, among)).as("%s of %s", nodes, zones).isTrue();
            });
  }

  @Property(tries = 500)
  void replicasAreInAsManyZonesAsPossible(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 6) int count) {
    Random random = new Random(seed);
    nodes.clear();
    named.clear();
    join(random, 3 + random.nextInt(5), count);
    Zones zones = new Zones(named);
    NodePlan plan = NodePlan.spread(7, "n0", nodes, 1 + random.nextInt(12), 3, zones).formed();
    isSpread(plan, nodes, zones);
    assertThat(zones.isSpread(plan.registerNodes(), nodes)).isTrue();

    join(random, random.nextInt(5), count);
    zones = new Zones(named);
    NodePlan evened = plan.withReplicas(3, nodes, zones);
    isSpread(evened, nodes, zones);
    assertThat(evened.withReplicas(3, nodes, zones).replicas()).isEqualTo(evened.replicas());
    assertThat(plan.with(evened.changes())).isEqualTo(evened);
    assertThat(evened.zones()).isEqualTo(zones);

    int number = nodes.size() < 5 ? 1 : 5;
    NodePlan other = evened.withReplicas(number, nodes, zones);
    isSpread(other, nodes, zones);
    isSpread(other.withReplicas(3, nodes, zones), nodes, zones);
    assertThat(moved(evened, other)).isEqualTo(number == 1 ? 0 : 2 * other.replicas().size());

    if (nodes.size() > 3) {
      List<String> left = new ArrayList<>(nodes);
      String leaving = left.remove(random.nextInt(left.size()));
      NodePlan without = evened.withReplicas(3, left, zones);
      isSpread(without, left, zones);
      assertThat(without.nodes()).doesNotContain(leaving);
    }
  }

  @Property(tries = 200)
  void movesNoMoreThanNecessary(@ForAll long seed, @ForAll @IntRange(min = 2, max = 4) int count) {
    Random random = new Random(seed);
    nodes.clear();
    named.clear();
    join(random, 3 + random.nextInt(5), count);
    Zones zones = new Zones(named);
    // Created before any node had a zone.
    NodePlan plan = NodePlan.spread(7, "n0", nodes, 1 + random.nextInt(12), 3).formed();

    List<List<String>> spread = ReplicaSpread.overZones(plan.replicas(), nodes, zones);

    int moved = 0;
    for (int number = 0; number < spread.size(); number++) {
      List<String> added = new ArrayList<>(spread.get(number));
      added.removeAll(plan.replicas().get(number));
      moved += added.size();
    }
    assertThat(moved).isEqualTo(tooMany(plan, nodes, zones));
  }
}
