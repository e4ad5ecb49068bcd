package io.github.stablecut.object.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The persistent sequence, compared with a list of the JDK. */
class TreeProperties {
  @Property
  void isAList(@ForAll @Size(max = 200) List<@IntRange(min = 0, max = 9_999) Integer> steps) {
    List<Integer> model = new ArrayList<>();
    Tree<Integer> tree = Tree.empty();
    for (int step : steps) {
      Tree<Integer> before = tree;
      List<Integer> old = List.copyOf(model);
      int index = model.isEmpty() ? 0 : step / 3 % model.size();
      if (model.isEmpty() || step % 3 == 0) {
        model.add(index, step);
        tree = tree.inserted(index, step);
      } else if (step % 3 == 1) {
        model.set(index, step);
        tree = tree.with(index, step);
      } else {
        model.remove(index);
        tree = tree.removed(index);
      }
      assertThat(before.toList()).isEqualTo(old);
    }

    assertThat(tree.toList()).isEqualTo(model);
    assertThat(Tree.of(model)).isEqualTo(tree);
    for (int i = 0; i < model.size(); i++) {
      assertThat(tree.get(i)).isEqualTo(model.get(i));
      assertThat(tree.iterator(i).next()).isEqualTo(model.get(i));
    }
  }

  /** Otherwise the depth of a tree, and with it the cost, could grow with each step. */
  @Property(tries = 20)
  void staysBalanced(@ForAll @IntRange(min = 1, max = 3_000) int size) {
    Tree<Integer> ascending = Tree.empty();
    Tree<Integer> descending = Tree.empty();
    for (int i = 0; i < size; i++) {
      ascending = ascending.inserted(i, i);
      descending = descending.inserted(0, i);
    }
    for (int i = 0; i < size / 2; i++) {
      ascending = ascending.removed(0);
    }
    double limit = 2 + 2.5 * Math.log(size + 1) / Math.log(2);

    assertThat((double) steps(ascending)).isLessThan(limit);
    assertThat((double) steps(descending)).isLessThan(limit);
  }

  /** The number of elements that the longest search compares. */
  private static int steps(Tree<Integer> tree) {
    int most = 0;
    for (int wanted = 0; wanted < tree.size(); wanted += 1 + tree.size() / 50) {
      int[] looked = {0};
      int target = wanted;
      List<Integer> all = tree.toList();
      boolean isAscending = all.size() < 2 || all.get(0) < all.get(1);
      int found =
          tree.search(
              element -> {
                looked[0]++;
                return isAscending
                    ? Integer.compare(all.get(target), element)
                    : Integer.compare(element, all.get(target));
              });
      assertThat(found).isEqualTo(target);
      most = Math.max(most, looked[0]);
    }
    return most;
  }
}
