package io.github.stablecut.examples.cities;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.examples.cities.Wall.Comment;
import io.github.stablecut.examples.cities.Wall.Post;
import io.github.stablecut.key.Update;
import io.github.stablecut.web.WebException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The operations in a city. All use the city's own store and wait for no other city. Thread-safe.
 *
 * <p>A comment is written to the store with the posts, which shows it after the post that it
 * answers. It is also written to a separate store of comments for each cable from here. Only the
 * two cities at the ends of the cable share such a store, so a comment is visible there as soon as
 * it arrives, whatever it depends on.
 */
final class City {
  private final int number;
  private final String name;
  private final Store wall;
  private final List<Store> ends;

  /** Grows over all cities, so that the newest post is the first one everywhere. */
  private final AtomicLong ids;

  /**
   * Creates a city.
   *
   * @param wall the store of everything, including comments
   * @param ends the stores of comments, one per cable
   * @param ids the last number of a post or comment of any city
   */
  City(int number, String name, Store wall, List<Store> ends, AtomicLong ids) {
    this.number = number;
    this.name = name;
    this.wall = wall;
    this.ends = List.copyOf(ends);
    this.ids = ids;
  }

  int number() {
    return number;
  }

  String name() {
    return name;
  }

  Store wall() {
    return wall;
  }

  List<Store> ends() {
    return ends;
  }

  /** Writes a post and returns its id. */
  String post(String text) {
    String id = newId();
    wall.update(Wall.post(id).assign(new Post(id, name, text)));
    return id;
  }

  /** Writes a comment on a post and returns its id. */
  String comment(String post, String text) {
    checkIsHere(post);
    String id = newId();
    Update comment = Wall.comment(id).assign(new Comment(id, post, name, text));
    wall.update(comment);
    ends.forEach(end -> end.update(comment));
    return id;
  }

  /** Likes a post. */
  void like(String post) {
    checkIsHere(post);
    wall.update(Wall.likes(post).increment());
  }

  /** Sells a seat, if this city has one. */
  void sell() {
    spend(Wall.SEATS.decrement(1));
  }

  /** Transfers the right to sell a seat to another city. */
  void give(int other) {
    if (other == number) {
      throw WebException.badRequest(name + " can't transfer a seat to itself: choose another city");
    }
    spend(Wall.SEATS.transfer(1, other));
  }

  private void spend(Update update) {
    try {
      wall.update(update);
    } catch (OperationRefusedException e) {
      throw new WebException(
          409, name + " has no seat left to sell or transfer: another city may transfer one to it");
    }
  }

  private void checkIsHere(String post) {
    if (wall.read(Wall.post(post)).isEmpty()) {
      throw new WebException(
          404, "this post does not exist in " + name + ", or has not arrived yet");
    }
  }

  private String newId() {
    return "%012d".formatted(ids.incrementAndGet());
  }
}
