namespace Sc2Bridge.Streaming;

/// <summary>
/// The names of running subscribers. A subscriber gets the name that it wants. If that name is taken, a number is
/// appended: the lowest freed number, or the next number if none was freed. The cost does not depend on the number of
/// subscribers. Thread-safe; calls nothing under its lock.
/// </summary>
internal sealed class SubscriberNames
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _taken = [];
    private readonly Dictionary<string, NumberPool> _numbers = [];

    public SubscriberName Reserve(string wanted)
    {
        lock (_lock)
        {
            if (_taken.Add(wanted))
            {
                return new SubscriberName(wanted, wanted, 0);
            }

            if (!_numbers.TryGetValue(wanted, out var numbers))
            {
                _numbers[wanted] = numbers = new NumberPool();
            }

            // A number is skipped permanently if another subscriber has requested exactly that name with that number.
            while (true)
            {
                var number = numbers.Free.Count > 0 ? numbers.Free.Dequeue() : numbers.Next++;
                if (_taken.Add($"{wanted}-{number}"))
                {
                    numbers.Taken++;
                    return new SubscriberName($"{wanted}-{number}", wanted, number);
                }
            }
        }
    }

    /// <summary>Makes a name free again. Call it once for each name.</summary>
    public void Release(in SubscriberName name)
    {
        lock (_lock)
        {
            _taken.Remove(name.Text);
            if (name.Number == 0)
            {
                return;
            }

            var numbers = _numbers[name.Wanted];
            numbers.Free.Enqueue(name.Number, name.Number);
            if (--numbers.Taken == 0)
            {
                _numbers.Remove(name.Wanted);
            }
        }
    }

    private sealed class NumberPool
    {
        public PriorityQueue<int, int> Free { get; } = new();

        public int Next { get; set; } = 2;

        public int Taken { get; set; }
    }
}

/// <summary>The name of a subscriber.</summary>
/// <param name="Text">The unique name.</param>
/// <param name="Wanted">The requested name.</param>
/// <param name="Number">The number that was appended; 0 for none.</param>
internal readonly record struct SubscriberName(string Text, string Wanted, int Number);
