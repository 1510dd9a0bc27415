using System.Collections.Immutable;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The sight of all players. Each unit sees a disc. Unless it flies, it does not see higher ground, or smoke that it is not in.
/// Updated every eighth loop. The ground behind a cliff or smoke is not hidden.
/// </summary>
internal sealed class Vision : Copyable
{
    /// <summary>The game's value of a cell that was never seen.</summary>
    public const byte Hidden = 0;

    /// <summary>The game's value of a cell that was seen before.</summary>
    public const byte Fogged = 1;

    /// <summary>The game's value of a cell that is in sight.</summary>
    public const byte Visible = 2;

    private const int BuildingSite = 3; // the sight of an unfinished building, in cells
    private const byte Smoke = byte.MaxValue;
    private const int UpTo = 8; // how much higher visible ground may be: half a level, the foot of a ramp
    private const int WatchRange = 5 * Geometry.Cell / 2;

    private readonly ImmutableArray<byte> _heights;
    private GameWorld _world;
    private byte[][] _grids;
    private Memory[] _memories;
    private List<(Unit Unit, int Range)> _detectors = [];

    /// <summary>Creates a vision without any seen cells.</summary>
    public Vision(GameWorld world)
    {
        _world = world;
        var cells = world.Map.Width * world.Map.Height;
        _grids = [.. Enumerable.Range(0, world.Players.Length + 1).Select(_ => new byte[cells])];
        _heights = Heights(world.Map);
        _memories = [.. world.Players.Select(p => new Memory(p.Id))];
    }

    /// <summary>The number of updates. Cells and creep change only in an update.</summary>
    public int Updates { get; private set; }

    /// <summary>One byte for each cell: 0 never seen, 1 seen before, 2 in sight. Player 0 sees everything that any player sees.</summary>
    public ReadOnlySpan<byte> Of(int player) => _grids[player];

    public byte StateOf(int player, int cell) => _grids[player][cell];

    /// <summary>Whether a player sees a point now. Player 0 sees every point.</summary>
    public bool Sees(int player, int x, int y) => player == 0 || _grids[player][_world.Map.CellAt(x, y)] == Visible;

    /// <summary>Buildings and resources that a player saw before and does not see now, in their remembered state.</summary>
    public IEnumerable<Snapshot> SnapshotsOf(int player) => player == 0 ? [] : _memories[player - 1].Unseen();

    /// <summary>Whether a player sees a building, or remembers it.</summary>
    public bool Knows(int player, Unit unit) => unit.IsKnownTo(player) || _memories[player - 1].Has(unit);

    /// <summary>A building or resource that a player remembers, by its tag; or null. It may have died since.</summary>
    public Unit? Remembered(int player, ulong tag) => _memories[player - 1].Find(tag);

    /// <summary>Whether a player remembers a dead unit and does not see its position.</summary>
    public bool BelievesAlive(int player, Unit dead) =>
        _memories[player - 1].Has(dead) && !Sees(player, dead.X, dead.Y);

    /// <summary>Updates what all players see.</summary>
    public void Update()
    {
        Updates++;
        for (var player = 1; player < _grids.Length; player++)
        {
            _grids[player].AsSpan().Replace(Visible, Fogged);
            if (_world.PlayerOf(player).Cheats.Contains(DebugGameState.ShowMap))
            {
                Array.Fill(_grids[player], Visible);
            }
        }

        Look();
        for (var player = 1; player < _grids.Length; player++)
        {
            Merge(_grids[0], _grids[player], player == 1);
        }

        FindUnits();
        foreach (var memory in _memories)
        {
            memory.Update(_world);
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (_world, _grids, _memories) = (copies.Of(_world), [.. _grids.Select(grid => grid.ToArray())], [.. _memories.Select(copies.Of)]);
        _detectors = []; // Each update finds them again.
    }

    // Smoke is pathable ground that is neither placeable nor a ramp. It counts as higher than all ground, except for units in it.
    private static ImmutableArray<byte> Heights(GameMap map)
    {
        byte[] heights = [.. map.TerrainHeight];
        var ramps = map.Ramps.SelectMany(ramp => ramp.Cells).ToHashSet();
        for (var cell = 0; cell < heights.Length; cell++)
        {
            heights[cell] = map.Pathable[cell] && !map.Placeable[cell] && !ramps.Contains(cell) ? Smoke : heights[cell];
        }

        return ImmutableCollectionsMarshal.AsImmutableArray(heights);
    }

    private static void Merge(byte[] all, byte[] one, bool first)
    {
        var i = 0;
        for (; i <= all.Length - Vector<byte>.Count; i += Vector<byte>.Count)
        {
            var seen = new Vector<byte>(one, i);
            (first ? seen : Vector.Max(seen, new Vector<byte>(all, i))).CopyTo(all, i);
        }

        for (; i < all.Length; i++)
        {
            all[i] = first ? one[i] : Math.Max(all[i], one[i]);
        }
    }

    private void Look()
    {
        _detectors.Clear();
        foreach (var unit in _world.Units)
        {
            if (!unit.Alive || !unit.Present)
            {
                continue;
            }

            if (unit.Owner != GameWorld.Neutral)
            {
                See(unit.Owner, unit.X, unit.Y, unit.Finished ? unit.Type.Sight : BuildingSite, unit.Flying);
                if (unit.Type.DetectionRange > 0 && unit.Finished && (unit.Powered || !unit.Type.Is(Kind.NeedsPower)))
                {
                    _detectors.Add((unit, unit.Type.DetectionRange));
                }
            }
            else if (unit.Type.Id == UnitId.XelNagaTower)
            {
                foreach (var near in _world.Bins.Near(unit.X, unit.Y, WatchRange + (2 * Geometry.Cell)))
                {
                    if (near.Owner != GameWorld.Neutral && !near.Flying
                        && Combat.Within(near, unit, WatchRange - unit.Type.Radius))
                    {
                        See(near.Owner, unit.X, unit.Y, unit.Type.Sight, true);
                        break;
                    }
                }
            }
        }

        foreach (var effect in _world.Effects)
        {
            if (effect.Id == EffectId.ScannerSweep)
            {
                See(effect.Owner, effect.X, effect.Y, EffectsOnGround.RadiusOf(EffectId.ScannerSweep) / Geometry.Cell, true);
            }
        }
    }

    private void See(int player, int x, int y, int radius, bool flying)
    {
        var map = _world.Map;
        var (cx, cy) = (x / Geometry.Cell, y / Geometry.Cell);
        var highest = (byte)Math.Min(Smoke - 1, map.TerrainHeight[map.CellAt(x, y)] + UpTo);
        var heights = flying || IsSmoke(cx, cy) ? map.TerrainHeight : _heights.AsSpan();
        var discs = Disc.HalfWidths(radius);
        for (var dy = Math.Max(-radius, -cy); dy <= Math.Min(radius, map.Height - 1 - cy); dy++)
        {
            var half = discs[Math.Abs(dy)];
            var from = Math.Max(0, cx - half);
            var length = Math.Min(map.Width - 1, cx + half) - from + 1;
            from += (cy + dy) * map.Width;
            if (flying)
            {
                _grids[player].AsSpan(from, length).Fill(Visible);
            }
            else
            {
                SeeRow(_grids[player].AsSpan(from, length), heights.Slice(from, length), highest);
            }
        }
    }

    private bool IsSmoke(int column, int row) =>
        _world.Map.Contains(column, row) && _heights[(row * _world.Map.Width) + column] == Smoke;

    private static void SeeRow(Span<byte> seen, ReadOnlySpan<byte> heights, byte highest)
    {
        var step = Vector128<byte>.Count;
        var most = Vector128.Create(highest);
        var visible = Vector128.Create(Visible);
        var i = 0;
        for (; i <= seen.Length - step; i += step)
        {
            var low = Vector128.LessThanOrEqual(
                Vector128.Create(heights[i..]), most);
            var before = Vector128.Create<byte>(seen[i..]);
            Vector128.CopyTo(
                Vector128.ConditionalSelect(low, visible, before), seen[i..]);
        }

        for (; i < seen.Length; i++)
        {
            if (heights[i] <= highest)
            {
                seen[i] = Visible;
            }
        }
    }

    private void FindUnits()
    {
        foreach (var unit in _world.Units)
        {
            if (!unit.Alive || !unit.Present)
            {
                continue;
            }

            var seen = unit.Owner == GameWorld.Neutral ? 0 : 1 << unit.Owner;
            for (var player = 1; player < _grids.Length; player++)
            {
                seen |= player != unit.Owner && SeesAny(player, unit) ? 1 << player : 0;
            }

            unit.SeenBy = seen;
            unit.Cloaked = Cloaks.On(unit);
            unit.DetectedBy = unit.Cloaked || unit.Hallucination ? DetectorsOf(unit) : 0;
        }

        foreach (var effect in _world.Effects)
        {
            if (effect is { Id: EffectsOnGround.Revealed, Source: { } revealed })
            {
                revealed.SeenBy |= 1 << effect.Owner;
                revealed.DetectedBy |= 1 << effect.Owner;
            }
        }
    }

    // A building is visible as soon as one of its sides is.
    private bool SeesAny(int player, Unit unit)
    {
        if (Sees(player, unit.X, unit.Y))
        {
            return true;
        }

        var edge = unit.Type.Is(Kind.Structure) ? unit.Type.Radius * 3 / 4 : 0;
        return edge > 0
            && (Sees(player, unit.X - edge, unit.Y) || Sees(player, unit.X + edge, unit.Y)
                || Sees(player, unit.X, unit.Y - edge) || Sees(player, unit.X, unit.Y + edge));
    }

    private int DetectorsOf(Unit unit)
    {
        var players = 0;
        foreach (var (detector, range) in _detectors)
        {
            var distance = Geometry.Length(detector.X - unit.X, detector.Y - unit.Y);
            players |= distance <= range + unit.Type.Radius ? 1 << detector.Owner : 0;
        }

        foreach (var effect in _world.Effects)
        {
            var reach = EffectsOnGround.RadiusOf(EffectId.ScannerSweep);
            if (effect.Id == EffectId.ScannerSweep && Geometry.Length(effect.X - unit.X, effect.Y - unit.Y) <= reach)
            {
                players |= 1 << effect.Owner;
            }
        }

        return players;
    }
}
