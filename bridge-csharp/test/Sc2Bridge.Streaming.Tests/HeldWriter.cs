namespace Sc2Bridge.Streaming.Tests;

/// <summary>A disk whose writes block until the test releases them.</summary>
internal sealed class HeldWriter : StringWriter
{
    private readonly ManualResetEventSlim _goes = new();

    public bool IsHeld { get; set; }

    public void LetGo() => _goes.Set();

    public override void Flush()
    {
        if (IsHeld)
        {
            _goes.Wait();
        }
    }

    protected override void Dispose(bool disposing)
    {
        _goes.Dispose();
        base.Dispose(disposing);
    }
}
