using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.Tests.Maps;

/// <summary>Rules that the game's own maps and ours follow.</summary>
public sealed class MapRulesTests
{
    private static IEnumerable<MapView> Ours => GameMap.All.Select(MapView.Of);

    private static IEnumerable<MapView> Real => SharedFolder.RealMessages("game_info.pb").Zip(
        SharedFolder.RealMessages("observation.pb"),
        (info, observation) => MapView.Of(
            Response.Parser.ParseFrom(info).GameInfo, ResponseObservation.Parser.ParseFrom(observation).Observation));

    [Fact]
    public void On_ours_there_is_nothing_outside_the_playable_area() => Assert.All(Ours, NothingOutside);

    [Fact]
    [Trait("Needs", "real")]
    public void On_real_ones_there_is_nothing_outside_the_playable_area() => Assert.All(Real, NothingOutside);

    [Fact]
    public void On_ours_what_stands_in_sight_is_not_pathable() => Assert.All(Ours, OnlyWhatStandsInSight);

    [Fact]
    [Trait("Needs", "real")]
    public void On_real_ones_what_stands_in_sight_is_not_pathable() => Assert.All(Real, OnlyWhatStandsInSight);

    [Fact]
    public void On_ours_a_ramp_of_16_cells_leads_to_the_start() => Assert.All(Ours, RampAtStart);

    [Fact]
    [Trait("Needs", "real")]
    public void On_real_ones_a_ramp_of_16_cells_leads_to_the_start() => Assert.All(Real, RampAtStart);

    [Fact]
    public void On_ours_the_start_has_eight_mineral_fields_and_two_geysers() => Assert.All(Ours, FieldAtStart);

    [Fact]
    [Trait("Needs", "real")]
    public void On_real_ones_the_start_has_eight_mineral_fields_and_two_geysers() => Assert.All(Real, FieldAtStart);

    [Fact]
    public void On_ours_the_resources_lead_to_the_start() => Assert.All(Ours, StartIsAnExpansion);

    [Fact]
    [Trait("Needs", "real")]
    public void On_real_ones_the_resources_lead_to_the_start() => Assert.All(Real, StartIsAnExpansion);

    [Fact]
    public void Ours_have_as_many_levels_as_real_ones()
    {
        Assert.All(Ours, m => Assert.Equal(
            [191, 207, 223], m.Heights.Where((_, c) => m.Placeable[c]).Distinct().Order().Select(h => (int)h)));
    }

    /// <summary>
    /// On fifteen of the game's maps (python-sc2's test/pickle_data), the path between the starts passes the second base's middle at
    /// 4 to 13 cells. Along the ground, that is 25 to 37 cells from the first base. So an attacker of the first base sees the second.
    /// </summary>
    [Fact]
    public void On_ours_for_two_the_way_between_the_starts_passes_the_second_base()
    {
        Assert.All(GameMap.All.Where(m => m.Melee && m.Starts.Length == 2), map =>
        {
            var (home, other) = (map.Bases[map.Starts[0]], map.Bases[map.Starts[1]]);
            var second = map.Bases.Where(b => b != home).MinBy(b => Ground(b, home))!;
            var nearest = Enumerable.Range(0, map.Pathable.Length).Where(c => map.Pathable[c]).Select(map.Middle)
                .Where(at => Geometry.Length(at.X - second.X, at.Y - second.Y) < 13 * GameMap.Cell
                    && map.GroundDistance(at.X, at.Y, home.X, home.Y) > 0)
                .Min(at => map.GroundDistance(at.X, at.Y, home.X, home.Y) + map.GroundDistance(at.X, at.Y, other.X, other.Y));
            Assert.InRange(nearest, 0, Ground(home, other) * 101 / 100);

            int Ground(MapBase from, MapBase to) => map.GroundDistance(from.X, from.Y, to.X, to.Y);
        });
    }

    private static void NothingOutside(MapView map)
    {
        for (var cell = 0; cell < map.Heights.Length; cell++)
        {
            if (!map.Playable.Contains(cell % map.Width, cell / map.Width))
            {
                Assert.True(
                    !map.Pathable[cell] && !map.Placeable[cell] && map.Heights[cell] == 0,
                    $"{map.Name}: cell {cell % map.Width}, {cell / map.Width}");
            }
        }
    }

    /// <summary>The only cells that are placeable and not pathable are the town hall's 21 cells and its resources' 34.</summary>
    private static void OnlyWhatStandsInSight(MapView map)
    {
        var bare = GameMap.Find(Game.Map)!;
        var wanted = new HashSet<int>();
        Cover(Footprint.TownHall, map.Start.X, map.Start.Y);
        foreach (var (x, y, geyser, _) in OfStart(map))
        {
            Cover(geyser ? Footprint.Three : Footprint.Mineral, x, y);
        }

        var cells = Enumerable.Range(0, map.Heights.Length);
        var found = cells.Where(c => map.Placeable[c] && !map.Pathable[c]).ToHashSet();
        Assert.Equal(55, wanted.Count);
        Assert.True(wanted.SetEquals(found), $"{map.Name}: {found.Count} cells");

        void Cover(Footprint footprint, double x, double y)
        {
            // Uses the calculation of the footprint on a map that contains the place, shifted to this map's columns.
            var (dx, dy) = ((int)x - (bare.Width / 2), (int)y - (bare.Height / 2));
            var (atX, atY) = ((int)((x - dx) * GameMap.Cell), (int)((y - dy) * GameMap.Cell));
            foreach (var cell in footprint.Cells(bare, atX, atY))
            {
                wanted.Add((((cell / bare.Width) + dy) * map.Width) + (cell % bare.Width) + dx);
            }
        }
    }

    private static void RampAtStart(MapView map)
    {
        var near = map.Ramps().Where(r => r.Count == 16).Select(r => Math.Sqrt(r.Average(c =>
            Math.Pow((c % map.Width) - map.Start.X, 2) + Math.Pow((c / map.Width) - map.Start.Y, 2))));
        Assert.True(near.Any(d => d < 25), map.Name);
    }

    private static void FieldAtStart(MapView map)
    {
        var all = OfStart(map).ToArray();
        Assert.Equal([900, 900, 900, 900, 1800, 1800, 1800, 1800, 2250, 2250], all.Select(r => r.Contents).Order());
        Assert.All(all, r => Assert.Equal(r.Geyser, r.Contents == 2250));

        // A geyser covers 3x3 cells, so its middle is in a cell's middle. A mineral field covers 2x1.
        Assert.All(all, r => Assert.Equal((r.Geyser ? 0.5 : 0.0, 0.5), (r.X % 1, r.Y % 1)));
        Assert.All(all, r => Assert.InRange(Distance(map, r), r.Geyser ? 7 : 6, 8.1));
    }

    private static void StartIsAnExpansion(MapView map) => Assert.Contains(map.Start, map.Expansions());

    private static IEnumerable<(double X, double Y, bool Geyser, int Contents)> OfStart(MapView map) =>
        map.Resources.Where(r => Distance(map, r) < 10);

    private static double Distance(MapView map, (double X, double Y, bool Geyser, int Contents) resource) =>
        Math.Sqrt(Math.Pow(resource.X - map.Start.X, 2) + Math.Pow(resource.Y - map.Start.Y, 2));
}
