namespace Sc2Bridge.Simulator.Pathing;

/// <summary>The rest of a unit's way: corners to walk to in straight lines.</summary>
public sealed class Way
{
    private readonly List<(int X, int Y)> _corners;

    /// <summary>A way.</summary>
    /// <param name="corners">The last one first.</param>
    /// <param name="goalX">Where it was asked to lead.</param>
    /// <param name="goalY">Where it was asked to lead.</param>
    /// <param name="arrives">Whether it leads there, rather than to the place nearest to it.</param>
    public Way(List<(int X, int Y)> corners, int goalX, int goalY, bool arrives)
    {
        _corners = corners;
        (GoalX, GoalY, Arrives) = (goalX, goalY, arrives);
    }

    /// <summary>Where it was asked to lead.</summary>
    public int GoalX { get; private set; }

    /// <summary>Where it was asked to lead.</summary>
    public int GoalY { get; private set; }

    /// <summary>Whether it leads there, rather than to the place nearest to it.</summary>
    public bool Arrives { get; }

    /// <summary>Corners left.</summary>
    public int Count => _corners.Count;

    /// <summary>The next corner.</summary>
    public (int X, int Y) Next => _corners[^1];

    /// <summary>The corner after the next.</summary>
    public (int X, int Y) AfterNext => _corners[^2];

    /// <summary><see cref="WalkableCells.Version"/> when it was last found free.</summary>
    public int Version { get; set; }

    /// <summary>The loop in which it was made.</summary>
    public int Made { get; init; }

    /// <summary>The nearest to the goal that the unit came so far.</summary>
    public int Nearest { get; set; } = int.MaxValue;

    /// <summary>The loop in which it last came nearer.</summary>
    public int Progress { get; set; }

    /// <summary>The next corner is behind.</summary>
    public void Pass() => _corners.RemoveAt(_corners.Count - 1);

    /// <summary>Whether nothing stands in it, from where the unit is.</summary>
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

    /// <summary>Leads straight to a goal that has moved.</summary>
    public void Bend(int x, int y)
    {
        (GoalX, GoalY) = (x, y);
        _corners[0] = (x, y);
    }
}
