package io.github.stablecut.examples.cities;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.examples.cities.CityView.CommentView;
import io.github.stablecut.examples.cities.CityView.Comments;
import io.github.stablecut.examples.cities.CityView.Link;
import io.github.stablecut.examples.cities.CityView.PostView;
import io.github.stablecut.examples.cities.CityView.Seats;
import io.github.stablecut.examples.cities.Wall.Comment;
import io.github.stablecut.examples.cities.Wall.Post;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.replication.DataCentre;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads the content of a city's pane. Thread-safe. */
final class CityReader {
  private static final int POSTS = 20;
  private static final int COMMENTS = 60;

  /** Delay that counts as silence: an idle city sends a heartbeat every half second. */
  private static final long NOTICED_SECONDS = 2;

  /** Maximum number of orphans that are counted. */
  private static final int MAX_ORPHANS = 10_000;

  private final City city;
  private final List<String> cities;
  private final int seats;

  @GuardedBy("this")
  private final Set<String> causalOrphans = new HashSet<>();

  @GuardedBy("this")
  private final Set<String> eventualOrphans = new HashSet<>();

  /**
   * Creates a reader of a city.
   *
   * @param cities the names of all cities, by number
   * @param seats the initial number of seats
   */
  CityReader(City city, List<String> cities, int seats) {
    this.city = city;
    this.cities = cities;
    this.seats = seats;
  }

  /**
   * Reads the current content. Comments of the separate stores are read before the posts, so that
   * none counts as an orphan only because its post arrived during the read.
   */
  synchronized CityView read() {
    List<Comment> arrivedComments = arrived();
    Snapshot snapshot = city.wall().snapshot();
    return new CityView(
        city.name(),
        links(),
        posts(snapshot),
        new Seats(seats, rights(snapshot)),
        view(comments(snapshot), snapshot, causalOrphans),
        view(arrivedComments, snapshot, eventualOrphans));
  }

  /** The comments that arrived over any cable, or were written here. */
  private List<Comment> arrived() {
    SortedMap<String, Comment> all = new TreeMap<>();
    for (Store end : city.ends()) {
      comments(end.snapshot()).forEach(comment -> all.put(comment.id(), comment));
    }
    return all.values().stream().skip(Math.max(0, all.size() - COMMENTS)).toList();
  }

  private List<Link> links() {
    Instant now = Instant.now();
    return city.wall().dataCentres().all().stream()
        .filter(other -> other.number() != city.number())
        .map(other -> link(other, now))
        .toList();
  }

  private Link link(DataCentre other, Instant now) {
    long behind = Duration.between(other.received(), now).toSeconds();
    return new Link(
        cities.get(other.number()), other.isReachable(), behind < NOTICED_SECONDS ? 0 : behind);
  }

  private static List<PostView> posts(Snapshot snapshot) {
    List<Post> posts = newest(snapshot, Wall.POSTS, POSTS, Wall::post);
    List<Query<?>> likes = new ArrayList<>();
    posts.forEach(post -> likes.add(Wall.likes(post.id())));
    Values values = snapshot.read(likes);
    return posts.stream()
        .map(
            post ->
                new PostView(
                    post.id(), post.city(), post.text(), values.get(Wall.likes(post.id()))))
        .toList();
  }

  private static List<Comment> comments(Snapshot snapshot) {
    List<Comment> comments =
        new ArrayList<>(newest(snapshot, Wall.COMMENTS, COMMENTS, Wall::comment));
    Collections.reverse(comments);
    return comments;
  }

  private static <T> List<T> newest(
      Snapshot snapshot, String prefix, int most, Function<String, RegisterKey<T>> key) {
    ScanOptions range = ScanOptions.bucket(Wall.BUCKET).prefix(prefix).descending().limit(most);
    List<T> found = new ArrayList<>();
    try (Scan scan = snapshot.scan(range.keysOnly())) {
      scan.forEachRemaining(
          object -> {
            String id = object.key().toUtf8().substring(prefix.length());
            snapshot.read(key.apply(id)).ifPresent(found::add);
          });
    }
    return found;
  }

  private static Comments view(List<Comment> comments, Reader reader, Set<String> orphansSeen) {
    List<CommentView> views = new ArrayList<>();
    for (Comment comment : comments) {
      boolean isOrphan = reader.read(Wall.post(comment.post())).isEmpty();
      if (isOrphan && orphansSeen.size() < MAX_ORPHANS) {
        orphansSeen.add(comment.id());
      }
      views.add(
          new CommentView(comment.id(), comment.post(), comment.city(), comment.text(), isOrphan));
    }
    return new Comments(List.copyOf(views), orphansSeen.size());
  }

  private List<Long> rights(Snapshot snapshot) {
    SortedMap<Integer, Long> rights = snapshot.read(Wall.SEATS.rights());
    List<Long> all = new ArrayList<>();
    for (int number = 0; number < cities.size(); number++) {
      all.add(rights.getOrDefault(number, 0L));
    }
    return List.copyOf(all);
  }
}
