namespace Sc2Bridge.Streaming;

/// <summary>
/// The names of running subscribers: each the wanted one, or that with the lowest number that was given back, or the next.
/// Taking and giving back cost the same however many there are. Thread-safe; calls nothing under its lock.
/// </summary>
internal sealed class SubscriberNames
{
    private readonly Lock _lock = new();
    private readonly HashSet<string> _taken = [];
    private readonly Dictionary<string, Numbers> _numbers = [];

    public SubscriberName Take(string wanted)
    {
        lock (_lock)
        {
            if (_taken.Add(wanted))
            {
                return new SubscriberName(wanted, wanted, 0);
            }

            if (!_numbers.TryGetValue(wanted, out var numbers))
            {
                _numbers[wanted] = numbers = new Numbers();
            }

            // A number that another has by its own name is passed over once and for all.
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

    /// <summary>Gives a name back, once.</summary>
    public void Return(in SubscriberName name)
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

    private sealed class Numbers
    {
        public PriorityQueue<int, int> Free { get; } = new();

        public int Next { get; set; } = 2;

        public int Taken { get; set; }
    }
}

/// <summary>A name that was taken.</summary>
/// <param name="Text">Unlike every other.</param>
/// <param name="Wanted">What was asked for.</param>
/// <param name="Number">What was added to it; 0 for nothing.</param>
internal readonly record struct SubscriberName(string Text, string Wanted, int Number);
