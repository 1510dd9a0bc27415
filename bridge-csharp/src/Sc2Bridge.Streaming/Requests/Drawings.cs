using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// The newest drawing of each perspective's agents in one match, for viewers. In the game, too, a drawing replaces the one before.
/// Thread-safe.
/// </summary>
internal sealed class Drawings
{
    // A viewer is told all of them at once.
    private const int MostBytes = 64 << 10;

    private readonly Lock _lock = new();
    private readonly Dictionary<uint, Drawing> _newest = [];

    /// <summary>One for each perspective whose agents have drawn something; not changed any more.</summary>
    public Drawing[] All
    {
        get
        {
            lock (_lock)
            {
                return [.. _newest.Values];
            }
        }
    }

    /// <summary>The game has done what an agent asked for.</summary>
    public void Done(RequestRecord record)
    {
        if (record.Request?.Debug?.Debug.LastOrDefault(command => command.Draw is not null)?.Draw is not { } draw
            || record.Response.Error.Count > 0)
        {
            return;
        }

        lock (_lock)
        {
            if (draw.CalculateSize() is 0 or > MostBytes)
            {
                _newest.Remove(record.Perspective);
                return;
            }

            _newest[record.Perspective] = new Drawing
            {
                Perspective = record.Perspective,
                Agent = record.Agent,
                Step = record.Step,
                Draw = draw,
            };
        }
    }
}
