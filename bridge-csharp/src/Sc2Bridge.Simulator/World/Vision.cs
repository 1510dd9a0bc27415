namespace Sc2Bridge.Simulator.World;

/// <summary>
/// What each player sees and has seen: a disc of its sight range around each unit, whatever the height.
/// </summary>
internal sealed class Vision
{
    /// <summary>The game's value of a cell never seen.</summary>
    public const byte Hidden = 0;

    /// <summary>The game's value of a cell seen before.</summary>
    public const byte Fogged = 1;

    /// <summary>The game's value of a cell in sight.</summary>
    public const byte Visible = 2;

    private readonly GameWorld _world;
    private readonly byte[][] _grids;

    internal Vision(GameWorld world)
    {
        _world = world;
        var cells = world.Map.Width * world.Map.Height;
        _grids = [.. Enumerable.Range(0, world.Players.Length + 1).Select(_ => new byte[cells])];
    }

    /// <summary>The grid of a player, row by row from below, a byte a cell; 0: of all players together.</summary>
    /// <param name="player">Whose.</param>
    public ReadOnlySpan<byte> Of(int player) => _grids[player];

    /// <summary>Whether a player sees a place now; player 0 sees all.</summary>
    /// <param name="player">Who.</param>
    /// <param name="x">In 1/4096 of a cell.</param>
    /// <param name="y">In 1/4096 of a cell.</param>
    public bool Sees(int player, int x, int y) => player == 0 || _grids[player][_world.Map.CellAt(x, y)] == Visible;

    internal void Update()
    {
        foreach (var grid in _grids)
        {
            grid.AsSpan().Replace(Visible, Fogged);
        }

        for (var slot = 0; slot < _world.SlotCount; slot++)
        {
            ref var unit = ref _world.Units[slot];
            if (unit.Alive && unit.Owner != GameWorld.NeutralOwner)
            {
                // A building site sees little, as in the game.
                var sight = unit.Finished ? unit.Facts.Sight : 3;
                Look(_grids[unit.Owner], unit.X / Geometry.Cell, unit.Y / Geometry.Cell, sight);
            }
        }

        var all = _grids[0];
        for (var player = 1; player < _grids.Length; player++)
        {
            var grid = _grids[player];
            for (var i = 0; i < all.Length; i++)
            {
                all[i] = Math.Max(all[i], grid[i]);
            }
        }
    }

    private void Look(byte[] grid, int cx, int cy, int radius)
    {
        var width = _world.Map.Width;
        var discs = Disc.HalfWidths(radius);
        for (var dy = Math.Max(-radius, -cy); dy <= Math.Min(radius, _world.Map.Height - 1 - cy); dy++)
        {
            var half = discs[Math.Abs(dy)];
            var from = Math.Max(0, cx - half);
            var to = Math.Min(width - 1, cx + half);
            grid.AsSpan(((cy + dy) * width) + from, to - from + 1).Fill(Visible);
        }
    }
}
