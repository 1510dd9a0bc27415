namespace Sc2Bridge.Simulator.Pathing;

/// <summary>The rest of a unit's route: corners to which it walks in straight lines.</summary>
public sealed class Way
{
    private readonly List<(int X, int Y)> _corners;

    /// <summary>Creates a route.</summary>
    /// <param name="corners">The corners, the last one first.</param>
    /// <param name="goalX">The requested goal.</param>
    /// <param name="goalY">The requested goal.</param>
    /// <param name="arrives">Whether it leads to the goal. False if it leads to the nearest reachable point.</param>
    public Way(List<(int X, int Y)> corners, int goalX, int goalY, bool arrives)
    {
        _corners = corners;
        (GoalX, GoalY, Arrives) = (goalX, goalY, arrives);
    }

    /// <summary>The requested goal.</summary>
    public int GoalX { get; private set; }

    /// <summary>The requested goal.</summary>
    public int GoalY { get; private set; }

    /// <summary>Whether it leads to the goal. False if it leads to the nearest reachable point.</summary>
    public bool Arrives { get; }

    /// <summary>The number of corners left.</summary>
    public int Count => _corners.Count;

    /// <summary>The next corner.</summary>
    public (int X, int Y) Next => _corners[^1];

    /// <summary>The corner after the next one.</summary>
    public (int X, int Y) AfterNext => _corners[^2];

    /// <summary><see cref="WalkableCells.Version"/> at the last check that the route is clear.</summary>
    public int Version { get; set; }

    /// <summary>The loop of its creation.</summary>
    public int Made { get; init; }

    /// <summary>The shortest distance of the unit from the next corner so far.</summary>
    public int Nearest { get; set; } = int.MaxValue;

    /// <summary>The last loop with progress towards the next corner.</summary>
    public int Progress { get; set; }

    /// <summary>A copy.</summary>
    public Way Copy() => new([.. _corners], GoalX, GoalY, Arrives)
    {
        Version = Version,
        Made = Made,
        Nearest = Nearest,
        Progress = Progress,
    };

    /// <summary>Removes the next corner, because the unit has reached it.</summary>
    public void Pass() => _corners.RemoveAt(_corners.Count - 1);

    /// <summary>Whether the route is clear from the unit's position.</summary>
    public bool IsClear(WalkableCells ground, int x, int y)
    {
        for (var i = _corners.Count - 1; i >= 0; i--)
        {
            if (!ground.Clear(x, y, _corners[i].X, _corners[i].Y))
            {
                return false;
            }

            (x, y) = _corners[i];
        }

        return true;
    }

    /// <summary>Moves the end of the route to a goal that has moved.</summary>
    public void Bend(int x, int y)
    {
        (GoalX, GoalY) = (x, y);
        _corners[0] = (x, y);
    }
}
