package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.web.testing.Browser;
import io.github.stablecut.web.testing.Pictures;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A browser shows a node's console while its cluster changes. */
final class ClusterConsoleTest {
  private static final String VALUE = "document.querySelector('#value').textContent";
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void aBrowserShowsAMoveAndAKilledNode() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 2);
        Store store = cluster.node(0).connect();
        Browser browser = Browser.start(directory.resolve("browser"))) {
      for (int i = 0; i < 20; i++) {
        store.update(Key.addWinsSet("posts", "tags " + i, Codec.string()).add("x"));
      }
      store.update(LIKES.increment(3));
      browser.look(1280, 1100, false);
      browser.open(URI.create(cluster.node(0).operations() + "/console"));
      browser.await("document.querySelectorAll('#ring .part').length === 8");
      objects(browser, store);

      List<String> owners = cluster.owners(0);
      int own = Math.toIntExact(owners.stream().filter("n0"::equals).count());
      int moved = owners.indexOf("n0");
      browser.await(partitionsOf("n1", 8 - own));
      TestCluster.CommandResult move = cluster.run(0, ClusterMove.command(), "" + moved, "n1");
      assertThat(move.code()).as(move.err()).isZero();
      browser.await(partitionsOf("n0", own - 1) + " && " + partitionsOf("n1", 9 - own));
      assertThat(browser.evaluate("document.querySelectorAll('.part.away').length").asInt())
          .isZero();

      cluster.node(1).kill();
      browser.await("document.querySelectorAll('.part.away').length === " + (9 - own));
      browser.await("document.querySelector('.nodes .away b')?.textContent === 'n1'");
      browser.await(
          "document.querySelector('#health').textContent.includes('%d of 8')".formatted(9 - own));
      browser.await(
          "[...document.querySelectorAll('#tiles, #truncation, #checkpoints, #open')].every(view => view.textContent)");
      browser.photograph(Pictures.file("console-cluster"));
      assertThat(browser.errors()).isEmpty();
    }
  }

  /** A script that checks how many partitions the page shows for a node. */
  private static String partitionsOf(String node, int count) {
    return "[...document.querySelectorAll('.nodes li')].some(node => node.querySelector('b').textContent === '%s' && node.querySelector('span').textContent.startsWith('%d '))"
        .formatted(node, count);
  }

  /** Checks the objects of all nodes and the transactions on them. */
  private static void objects(Browser browser, Store store) {
    browser.click("#tabs button[value='objects']");
    browser.await("document.querySelectorAll('#keys li').length === 21");
    browser.click("#keys li:nth-child(1) button");
    browser.await(VALUE + " === '3'");
    store.update(LIKES.increment(4));
    browser.await(VALUE + " === '7'");
    browser.await(
        "document.querySelector('.object .words').textContent === '2 transactions in the retained past.'");
    browser.click("#tabs button:first-child");
    browser.await("!document.querySelector('#overview').hidden");
  }
}
