// Leads back to the form that was kept while its visitor signed in.
document.getElementById("kept").requestSubmit();
