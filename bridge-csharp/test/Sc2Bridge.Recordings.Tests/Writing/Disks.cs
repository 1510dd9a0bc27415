namespace Sc2Bridge.Recordings.Tests.Writing;

/// <summary>A disk that blocks all writes except the first ones, until the test opens it.</summary>
internal sealed class GatedDisk(int first = 0) : MemoryStream
{
    private readonly ManualResetEventSlim _gate = new();

    public List<int> Writes { get; } = [];

    public bool IsClosed { get; private set; }

    public void Open() => _gate.Set();

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (Writes.Count == first)
        {
            _gate.Wait();
        }

        Writes.Add(buffer.Length);
        base.Write(buffer);
    }

    protected override void Dispose(bool disposing)
    {
        IsClosed = true;
        base.Dispose(disposing);
    }
}

/// <summary>A disk that has room for this many bytes, and then fails.</summary>
internal sealed class FullDisk(int room) : MemoryStream
{
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        var taken = Math.Min(buffer.Length, room - (int)Length);
        base.Write(buffer[..taken]);
        if (taken < buffer.Length)
        {
            throw new IOException("No space left on device");
        }
    }
}

/// <summary>A disk with a defective driver.</summary>
internal sealed class DefectiveDisk : MemoryStream
{
    public override void Write(ReadOnlySpan<byte> buffer) => throw new InvalidOperationException("a defect");
}
