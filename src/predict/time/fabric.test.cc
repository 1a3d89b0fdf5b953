// Routes and shared links, and the placements that they decide.
#include "predict/time/fabric.h"

#include <gtest/gtest.h>

#include "predict/time/question.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

NodeLinks grid(std::vector<int> dims, bool wraps) {
  NodeLinks links;
  links.lane_Bps = 50e9;
  links.efficiency = 1;
  links.setup_s = 0;
  links.dims = std::move(dims);
  links.wraps = wraps;
  return links;
}

System machine(const std::vector<int>& dims, bool wraps) {
  System s = read_system("h100");
  s.network.node = grid(dims, wraps);
  s.network.node_devices = 1;
  for (const int side : dims)
    s.network.node_devices *= side;
  return s;
}

// On a row the way back of a ring passes every link of it: two transfers a direction. A torus closes it.
TEST(Fabric, ARingOnARowSharesItsLinksUnlessTheRowCloses) {
  const LinkLoad row = link_load(grid({4, 4}, false), 16, {4, 1, Pattern::Ring});
  EXPECT_EQ(row.most, 2);
  EXPECT_EQ(row.hops, 3);
  const LinkLoad closed = link_load(grid({4, 4}, true), 16, {4, 1, Pattern::Ring});
  EXPECT_EQ(closed.most, 1);
  EXPECT_EQ(closed.hops, 1);
}

TEST(Fabric, ASnakeVisitsNeighboursAndRowsAlignColumns) {
  NodeLinks mesh = grid({4, 2, 2}, false);
  EXPECT_EQ(link_load(mesh, 16, {16, 1, Pattern::Line}).hops, 1);
  mesh.snake = false;
  EXPECT_EQ(link_load(mesh, 16, {16, 1, Pattern::Line}).hops, 5);  // end of a plane to the start of the next
  EXPECT_EQ(link_load(mesh, 16, {2, 4, Pattern::Line}).hops, 1);   // columns
}

// Two transfers across a square of four links: the second takes the way that the first left free.
TEST(Fabric, ShortestRoutesAvoidLoadedLinks) {
  NodeLinks square;
  square.links = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 0, 1}};
  const LinkLoad across = link_load(square, 4, {2, 2, Pattern::Line});
  EXPECT_EQ(across.most, 1);
  EXPECT_EQ(across.hops, 2);
}

// All pairs of a 3 x 3 mesh, X first: the link from a row's second to its third device carries two sources to
// three devices.
TEST(Fabric, RoutesByDimensionHaveTheirClosedForm) {
  NodeLinks mesh = grid({3, 3}, false);
  mesh.snake = false;
  const LinkLoad xy = link_load(mesh, 9, {9, 1, Pattern::AllPairs});
  EXPECT_EQ(xy.hops, 4);
  EXPECT_EQ(xy.most, 6);
  mesh.routing = Routing::Shortest;
  EXPECT_EQ(link_load(mesh, 9, {9, 1, Pattern::AllPairs}).hops, 4);
}

TEST(Fabric, AnUnconnectedPairIsRefused) {
  NodeLinks links;
  links.links = {{0, 1, 1}, {2, 3, 1}};
  EXPECT_THROW(link_load(links, 4, {4, 1, Pattern::Ring}), base::Error);
}

TEST(Collective, SharedLinksSlowAnAllReduceAsTheirLoadSays) {
  const System mesh = machine({4, 4}, false);
  const System torus = machine({4, 4}, true);
  const Collective c{CollectiveOp::AllReduce, 4, 1e9, 1};
  const double slow = predict_collective(mesh, c).bandwidth_s;
  const double fast = predict_collective(torus, c).bandwidth_s;
  EXPECT_NEAR(fast, 1.5 * 1e9 / (2 * 50e9), 1e-9);  // two rings, one each way
  EXPECT_NEAR(slow, 2 * fast, 1e-9);
}

TrainingRun run_on_sixteen() {
  TrainingRun run;
  run.model.layers = 16;
  run.model.hidden = 4096;
  run.model.heads = 32;
  run.sequence = 4096;
  run.global_batch = 64;
  run.tensor = 4;
  run.data = 2;
  run.pipeline = 2;
  return run;
}

TEST(Placement, AllOrdersOfTheLiveDimensionsOnce) {
  EXPECT_EQ(distinct_placements(run_on_sixteen()).size(), 6U);
  TrainingRun four = run_on_sixteen();
  four.context = 2;
  EXPECT_EQ(distinct_placements(four).size(), 24U);
  EXPECT_EQ(distinct_placements(TrainingRun{}).size(), 1U);
}

// The best is what timing each order by hand finds, and it keeps tensor parallelism on neighbours.
TEST(Placement, TheBestIsTheFastestByPredictedTime) {
  const System s = machine({4, 4}, true);
  TrainingRun run = run_on_sixteen();
  double least = 1e300;
  for (const Placement& p : distinct_placements(run)) {
    TrainingRun placed = run;
    placed.placement = p;
    least = std::min(least, predict_training(s, placed).seconds);
  }
  run.best_placement = true;
  const TrainingRun best = with_placement(s, run);
  EXPECT_DOUBLE_EQ(predict_training(s, best).seconds, least);
  EXPECT_EQ(best.placement[0], Axis::Tensor);
  EXPECT_EQ(answer(s, {run, "", ""}).seconds, least);
}

TEST(Placement, BehindNodesTensorParallelismStaysInsideOne) {
  const System h100 = read_system("h100");
  TrainingRun run = run_on_sixteen();
  run.data = 16;
  run.placement = *parse_placement("data-tensor");
  const double across = predict_training(h100, run).tensor_s;
  run.placement = kUsualPlacement;
  EXPECT_GT(across, 3 * predict_training(h100, run).tensor_s);
}

TEST(Placement, TrivialDimensionsMayStandAnywhere) {
  TrainingRun run = run_on_sixteen();
  run.placement = *parse_placement("tensor-data-pipeline-context");
  EXPECT_TRUE(has_default_order(run));
  run.context = 2;
  EXPECT_FALSE(has_default_order(run));
}

TEST(Placement, TextAndBack) {
  for (const Placement& p : distinct_placements(run_on_sixteen()))
    EXPECT_EQ(parse_placement(to_string(p)), p);
  EXPECT_EQ(to_string(*parse_placement("data")), "data-tensor-context-pipeline");
  for (const char* bad : {"", "tensor-tensor", "tensor-", "width"})
    EXPECT_FALSE(parse_placement(bad).has_value()) << bad;
}

}  // namespace
}  // namespace lento::predict
