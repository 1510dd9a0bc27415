using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.Maps;

/// <summary>The maps of the simulated game, from <c>Facts/sketches.tsv</c>.</summary>
internal static class MapSketches
{
    /// <summary>All sketches.</summary>
    public static IReadOnlyList<MapSketch> All { get; } =
        [.. FactTable.Read("sketches").Rows.GroupBy(row => row.Text("map")).Select(Read)];

    private static MapSketch Read(IGrouping<string, FactTable.Row> map)
    {
        var (kind, size) = Of("map").Single();
        var resources = Of("resources").Single().Name.Split(' ').Select(name => TechTree.Unit(name).Id).ToArray();
        return new MapSketch(
            map.Key,
            size[0],
            size[1],
            new CellArea(size[2], size[3], size[4], size[5]),
            size[6],
            new ResourceTypes(resources[0], resources[1], resources[2]),
            [.. Of("shape").Select(s =>
                new Shape(Enum.Parse<Surface>(s.Name), s.At[0], s.At[1], s.At[2], s.At[3], s.At[4]))],
            [.. Of("ramp").Select(r => new RampSketch(r.At[0], r.At[1], r.At[2], r.At[3], r.At[4]))],
            [.. Of("base").Select(b => new BaseSketch(b.At[0], b.At[1], b.At[2], b.At[3]))],
            [.. Of("unit").Select(u => new ExtraSketch(TechTree.Unit(u.Name).Id, u.At[0], u.At[1]))],
            Melee: kind != "empty");

        IEnumerable<(string Name, int[] At)> Of(string what) => map.Where(row => row.Text("what") == what)
            .Select(row => (row.Text("name"), row.Numbers("numbers")));
    }
}
