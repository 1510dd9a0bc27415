namespace Sc2Bridge.Streaming;

/// <summary>
/// The publications that a subscriber holds back, one of a perspective at most: a single one, but for those who hear
/// every perspective. For one thread at a time; allocates nothing for the first.
/// </summary>
internal struct HeldPublications
{
    private (PublishBarrier? Wait, long Generation) _first;
    private List<(PublishBarrier Wait, long Generation)>? _others;

    /// <summary>One more is held back, in place of an earlier one of the same publisher.</summary>
    public void Add(PublishBarrier wait, long generation)
    {
        if (_first.Wait is null || _first.Wait == wait)
        {
            _first = (wait, generation);
            return;
        }

        _others ??= [];
        _others.RemoveAll(other => other.Wait == wait);
        _others.Add((wait, generation));
    }

    /// <summary>Lets one go without telling its publisher; false where it is not held.</summary>
    public bool Remove(PublishBarrier wait, long generation)
    {
        if (_first == (wait, generation))
        {
            _first = default;
            return true;
        }

        return _others?.Remove((wait, generation)) ?? false;
    }

    /// <summary>Lets all go: whoever gets them tells the publishers.</summary>
    public HeldPublications TakeAll()
    {
        var all = this;
        this = default;
        return all;
    }

    /// <summary>Tells the publishers; not under a lock.</summary>
    /// <param name="inline">See <see cref="PublishBarrier.Resolve"/>.</param>
    public readonly void Resolve(bool inline)
    {
        _first.Wait?.Resolve(_first.Generation, inline);
        foreach (var (wait, generation) in _others ?? [])
        {
            wait.Resolve(generation, inline);
        }
    }
}
